internal import Crypto
internal import Foundation
internal import FundCore

/// The site for which passkeys are made and used, and the checks of what they answer (Web Authentication Level 3, §7).
struct RelyingParty: Sendable, Hashable {
    /// Scheme, host and port, as browsers write them: `https://funds.corp.example`.
    let origin: String
    /// Host: a passkey belongs to it.
    let id: String

    private static let loopback = "localhost"
    private static let ports = ["https": 443, "http": 80]

    /// The site at an address. Nil where browsers make no passkeys: without https but on this machine, for an address
    /// of digits in place of a name, and for a name that is not written in ASCII.
    init?(url: String) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let standard = Self.ports[scheme], let host = parts.encodedHost?.lowercased(),
            !host.isEmpty, host.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || "-.".utf8.contains($0) })
        else { return nil }
        let isLoopback = host == Self.loopback || host.hasSuffix(".\(Self.loopback)")
        let last = host.split(separator: ".").last ?? ""
        guard scheme == "https" || isLoopback, last.contains(where: \.isLetter) else { return nil }
        let port = parts.port.flatMap { $0 == standard ? nil : ":\($0)" } ?? ""
        origin = "\(scheme)://\(host)\(port)"
        id = host
    }

    /// The site of a server without a `public_url`: on the developer's own machine alone.
    /// - Parameter authority: host and port, as the browser asked.
    init?(authority: String, isEncrypted: Bool) {
        self.init(url: "\(isEncrypted ? "https" : "http")://\(authority)")
        guard id == Self.loopback else { return nil }
    }

    /// The id under which a device keeps the passkeys of one user: the same each time, and without name or number.
    func handle(of user: User.ID) -> [UInt8] { Array(SHA256.hash(data: Data("fundmail \(id) \(user)".utf8))) }

    private static let maxAttestationBytes = 64 * 1024

    /// The passkey that a device made. What its maker attests is read and not asked for.
    /// - Parameter attestation: the attestation object (§6.5.4).
    func passkey(in attestation: [UInt8]) throws(WebAuthnError) -> (key: PasskeyKey, counter: Int64) {
        guard attestation.count <= Self.maxAttestationBytes else { throw .malformed }
        let object = try CBORReader.value(of: attestation)
        guard object["fmt"]?.text != nil, case .map? = object["attStmt"], let bytes = object["authData"]?.bytes else {
            throw .malformed
        }
        let data = try AuthenticatorData(bytes)
        try check(data)
        guard let credential = data.credential else { throw .malformed }
        let key = try CredentialKey(cose: credential.key)
        return (
            PasskeyKey(credential: credential.id, algorithm: key.algorithm, publicKey: key.publicKey), data.counter
        )
    }

    /// Checks what a passkey signed, and gives its counter.
    /// - Parameters:
    ///   - clientData: as the browser sent it: its bytes are signed.
    ///   - authenticatorData: as the device wrote it.
    func counter(
        of passkey: PasskeyKey, signing clientData: [UInt8], _ authenticatorData: [UInt8], signature: [UInt8]
    ) throws(WebAuthnError) -> Int64 {
        let data = try AuthenticatorData(authenticatorData)
        try check(data)
        guard let key = CredentialKey(algorithm: passkey.algorithm, publicKey: passkey.publicKey) else {
            throw .unknownAlgorithm
        }
        let signed = authenticatorData + Array(SHA256.hash(data: Data(clientData)))
        guard key.isValid(signature, of: signed) else { throw .wrongSignature }
        return data.counter
    }

    private func check(_ data: AuthenticatorData) throws(WebAuthnError) {
        guard data.siteHash == Array(SHA256.hash(data: Data(id.utf8))) else { throw .wrongOrigin }
        guard data.isVerified else { throw .unverified }
    }
}
