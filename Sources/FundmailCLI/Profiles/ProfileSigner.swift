import FundCore

/// Signs profiles as CMS (RFC 5652) with their content in it, as devices want them.
struct ProfileSigner: Sendable {
    private static let maxFileBytes = 1 << 20
    /// A tag and a length begin it (X.690 §8.9).
    private static let sequence: UInt8 = 0x30

    /// Paths of a certificate chain and its key.
    let files: ServerConfiguration.Certificate

    /// Blocks. The files are read each time, so that a renewed certificate counts at once. Throws `identity` for files
    /// that cannot be used, `signing` when openssl is missing or fails; nothing is signed in part.
    func sign(_ content: [UInt8]) throws(ProfileError) -> [UInt8] {
        let chain = PEMText(String(decoding: try Self.read(files.certificateFile, "certificate"), as: UTF8.self))
        let key = try Self.read(files.keyFile, "key")
        guard let signer = chain.certificates.first else {
            throw ProfileError(.identity, "the certificate \(files.certificateFile) holds no certificate in PEM")
        }
        let others = chain.certificates.dropFirst().joined()
        var inputs = [content, Array(signer.utf8), key]
        var words = [
            "cms", "-sign", "-nodetach", "-binary", "-outform", "DER", "-passin", "pass:",
            "-signer", OpenSSLRun.path(ofInput: 1), "-inkey", OpenSSLRun.path(ofInput: 2),
        ]
        if !others.isEmpty {
            inputs.append(Array(others.utf8))
            words += ["-certfile", OpenSSLRun.path(ofInput: 3)]
        }
        let run = try OpenSSLRun(words, inputs: inputs)
        if let failure = run.failure { throw error(failure) }
        guard run.output.first == Self.sequence else { throw ProfileError(.signing, "openssl wrote no signature") }
        return run.output
    }

    private static func read(_ path: String, _ name: String) throws(ProfileError) -> [UInt8] {
        do { return try WholeFile.readRegular(path, maxBytes: maxFileBytes) } catch {
            let next =
                path.hasPrefix(ConfigurationDecoder.credentialsMark)
                ? "only a service of systemd has it" : error.problem
            throw ProfileError(.identity, "the \(name) \(path) cannot be read: \(next)")
        }
    }

    /// The reason that openssl gives, for administrators.
    private func error(_ said: String) -> ProfileError {
        let (certificate, key) = (files.certificateFile, files.keyFile)
        let known: [(mark: String, problem: String)] = [
            (
                "private key does not match certificate",
                "the key \(key) does not belong to the certificate \(certificate)"
            ),
            ("Could not read signing key", "the key \(key) is no private key in PEM without a passphrase"),
            ("Could not read signer certificate", "the certificate \(certificate) cannot be used"),
            ("no default digest", "the key \(key) is of a kind that signs no profiles; RSA and ECDSA do"),
        ]
        if let match = known.first(where: { said.contains($0.mark) }) { return ProfileError(.identity, match.problem) }
        // `…:error:17000080:CMS routines:CMS_add1_signer:no default digest:…`: the reason stands behind the function.
        let line = said.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        let parts = line.split(separator: ":")
        let reason = parts.count > 5 && parts[1] == "error" ? String(parts[5]) : line
        return ProfileError(.signing, "openssl cannot sign: \(reason.label.prefix(bytes: 200))")
    }
}
