internal import Crypto
internal import Foundation
import FundCore

@testable import FundHTTP
@testable import FundServer

/// A device with one passkey, as a test needs it: it signs what it is told to, also what no honest device would.
struct SoftwareAuthenticator: Sendable {
    enum Algorithm: CaseIterable, Sendable {
        case es256, ed25519
    }

    /// Differences from what an honest device and browser do.
    struct Changes: Sendable {
        var type: String?
        var origin: String?
        var site: String?
        var flags: UInt8 = 0x05
        var more = ""
        var format = "none"
        var statement: [UInt8] = [0xA0]
        var handle: [UInt8]?
        /// Coordinates in the place of those of its key.
        var point: [UInt8]?
    }

    let credential: [UInt8]
    let site: RelyingParty
    private let es256 = P256.Signing.PrivateKey()
    private let ed25519 = Curve25519.Signing.PrivateKey()
    let algorithm: Algorithm
    var counter: UInt32 = 0

    init(_ algorithm: Algorithm, at site: RelyingParty) {
        self.algorithm = algorithm
        self.site = site
        credential = RandomBytes.make(32)
    }

    /// Client data, and the attestation object.
    func create(_ challenge: [UInt8], _ changes: Changes = Changes()) -> (client: [UInt8], attestation: [UInt8]) {
        let cose: [UInt8]
        switch algorithm {
        case .es256:
            let point = changes.point ?? Array(es256.publicKey.rawRepresentation)
            cose =
                [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + point.prefix(32) + [0x22, 0x58, 0x20]
                + point.suffix(32)
        case .ed25519:
            let point = changes.point ?? Array(ed25519.publicKey.rawRepresentation)
            cose = [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20] + point
        }
        let data =
            head(changes, flags: changes.flags | 0x40) + [UInt8](repeating: 0, count: 16)
            + [0, UInt8(credential.count)] + credential + cose
        let attestation =
            [0xA3] + Self.text("fmt") + Self.text(changes.format) + Self.text("attStmt") + changes.statement
            + Self.text("authData") + [0x58, UInt8(data.count)] + data
        return (client("webauthn.create", challenge, changes), attestation)
    }

    /// The fields of a form with the answer to a challenge.
    func get(_ challenge: [UInt8], of user: User.ID?, _ changes: Changes = Changes()) throws -> [String: String] {
        let (client, data) = (client("webauthn.get", challenge, changes), head(changes, flags: changes.flags))
        let signed = Data(data + Array(SHA256.hash(data: Data(client))))
        let signature: [UInt8] =
            switch algorithm {
            case .es256: Array(try es256.signature(for: signed).derRepresentation)
            case .ed25519: Array(try ed25519.signature(for: signed))
            }
        var fields = [
            "credential": credential, "client": client, "data": data, "signature": signature,
        ].mapValues { Base64.urlText($0) }
        if let handle = changes.handle ?? user.map(site.handle) { fields["user"] = Base64.urlText(handle) }
        return fields
    }

    func answer(_ challenge: [UInt8], of user: User.ID?, _ changes: Changes = Changes()) throws -> PasskeyAnswer? {
        let form = try get(challenge, of: user, changes).map { "\($0)=\($1)" }.joined(separator: "&")
        return PasskeyAnswer(try FieldText(form: form))
    }

    private func client(_ type: String, _ challenge: [UInt8], _ changes: Changes) -> [UInt8] {
        let origin = changes.origin ?? site.origin
        return Array(
            """
            {"type":"\(changes.type ?? type)","challenge":"\(Base64.urlText(challenge))","origin":"\(origin)"\
            \(changes.more)}
            """.utf8)
    }

    private func head(_ changes: Changes, flags: UInt8) -> [UInt8] {
        Array(SHA256.hash(data: Data((changes.site ?? site.id).utf8))) + [flags]
            + withUnsafeBytes(of: counter.bigEndian) { Array($0) }
    }

    private static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }
}
