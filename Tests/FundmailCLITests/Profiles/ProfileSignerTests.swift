import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundmailCLI

/// Signatures of profiles, as openssl sees them, and what is said where none can be made.
@Suite(.startsPrograms) struct ProfileSignerTests {
    private static let content = Array("<plist>基金</plist>\n".utf8)

    private static func signer(_ certificate: String, _ key: String) -> ProfileSigner {
        ProfileSigner(files: ServerConfiguration.Certificate(certificateFile: certificate, keyFile: key))
    }

    /// Runs `body` in a folder of its own, which goes away.
    private static func inFolder(_ body: (String) throws -> Void) throws {
        let folder = try TestFile.makeFolder("profiles")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private static func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    /// The chain goes along, whatever else the file holds.
    @Test(arguments: ["", "chain", "chain and key"])
    func isVerified(_ more: String) throws {
        let authority = try TestAuthority.shared.get()
        try Self.inFolder { folder in
            var pem = try Self.text(authority.certificatePath(.valid))
            if more.hasPrefix("chain") { pem += try Self.text(authority.caFile) }
            if more.hasSuffix("key") { pem += try Self.text(authority.keyPath(.valid)) }
            try TestFile.write(pem, to: "\(folder)/chain.pem")
            let signed = try Self.signer("\(folder)/chain.pem", authority.keyPath(.valid)).sign(Self.content)
            try TestFile.write(signed, to: "\(folder)/signed")
            try ToolRun.output([
                "openssl", "cms", "-verify", "-inform", "DER", "-in", "\(folder)/signed", "-CAfile", authority.caFile,
                "-purpose", "any", "-out", "\(folder)/content",
            ])
            #expect(try Self.text("\(folder)/content") == String(decoding: Self.content, as: UTF8.self))
            let structure = try ToolRun.output(["openssl", "asn1parse", "-inform", "DER", "-in", "\(folder)/signed"])
            #expect(structure.contains(":pkcs7-signedData") && structure.contains(":sha256"))
            #expect(structure.components(separatedBy: "fundmail-test-authority").count == (more.isEmpty ? 3 : 5))
        }
    }

    @Test func saysWhatIsWrong() throws {
        let authority = try TestAuthority.shared.get()
        let (certificate, key) = (authority.certificatePath(.valid), authority.keyPath(.valid))
        try Self.inFolder { folder in
            try ToolRun.output([
                "openssl", "ec", "-in", key, "-aes256", "-passout", "pass:sesame", "-out", "\(folder)/locked.key",
            ])
            try ToolRun.output([
                "openssl", "req", "-x509", "-nodes", "-newkey", "ed25519", "-subj", "/CN=a", "-keyout",
                "\(folder)/ed.key", "-out", "\(folder)/ed.pem",
            ])
            try TestFile.write("nothing", to: "\(folder)/empty")
            mkfifo("\(folder)/pipe", 0o600)
            let rows: [(String, String, ProfileError.Code, String)] = [
                (certificate, authority.keyPath(.expired), .identity, "does not belong to the certificate"),
                (certificate, "\(folder)/locked.key", .identity, "without a passphrase"),
                (certificate, "\(folder)/empty", .identity, "without a passphrase"),
                ("\(folder)/empty", key, .identity, "no certificate in PEM"),
                ("\(folder)/ed.pem", "\(folder)/ed.key", .identity, "of a kind that signs no profiles"),
                (certificate, "\(folder)/none", .identity, "cannot be read: No such file"),
                ("\(folder)/none", key, .identity, "cannot be read: No such file"),
                ("${CREDENTIALS_DIRECTORY}/c", key, .identity, "only a service of systemd"),
                ("\(folder)/pipe", key, .identity, "it is no regular file"),
                (certificate, "\(folder)/pipe", .identity, "it is no regular file"),
                (certificate, "/dev/zero", .identity, "it is no regular file"),
                (certificate, folder, .identity, "Is a directory"),
            ]
            for (certificate, key, code, words) in rows {
                let error = #expect(throws: ProfileError.self) {
                    try Self.signer(certificate, key).sign(Self.content)
                }
                #expect(error?.code == code && error?.description.contains(words) == true, "\(words): \(error as Any)")
            }
        }
    }
}
