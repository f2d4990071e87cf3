internal import Crypto
internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Public keys that no honest device makes.
struct CredentialKeyTests {
    private static let (es256, ed25519): (Int64, Int64) = (-7, -8)

    private static func point(_ hex: String) throws -> [UInt8] { try #require(Hex.bytes(hex.utf8)) }

    /// All points of small order, each with both signs, and their other spellings with y not below the prime.
    private static let smallOrders = [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ].flatMap { hex -> [String] in
        let last = UInt8(hex.suffix(2), radix: 16).map { $0 | 0x80 } ?? 0
        return [hex, hex.dropLast(2) + String(last, radix: 16)]
    }

    @Test(arguments: smallOrders)
    func refusesPointsOfSmallOrder(_ hex: String) throws {
        let point = try Self.point(hex)
        #expect(CredentialKey(algorithm: Self.ed25519, publicKey: point) == nil)
        let site = try #require(RelyingPartyTests.site)
        var changes = SoftwareAuthenticator.Changes()
        changes.point = point
        let made = SoftwareAuthenticator(.ed25519, at: site).create([1], changes)
        #expect(throws: WebAuthnError.unsoundKey) { try site.passkey(in: made.attestation) }
    }

    /// The library takes such a point, and one signature without a private key is good for everything.
    @Test func othersWouldSignForThem() throws {
        let point = try Self.point(Self.smallOrders[0])
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: point)
        let signature = point + [UInt8](repeating: 0, count: 32)
        for text in ["this", "that"] { #expect(key.isValidSignature(Data(signature), for: Data(text.utf8))) }
        // A passkey that was stored before such points were refused opens nothing.
        let site = try #require(RelyingPartyTests.site)
        let stored = PasskeyKey(credential: [1], algorithm: Self.ed25519, publicKey: point)
        let device = SoftwareAuthenticator(.ed25519, at: site)
        var fields = try device.get([4], of: 1)
        fields["signature"] = Base64.urlText(signature)
        let form = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        let answer = try #require(PasskeyAnswer(try FieldText(form: form)))
        #expect(throws: WebAuthnError.unknownAlgorithm) { try answer.counter(by: stored, to: site) }
    }

    /// The keys of RFC 8032 §7.1, and those of many devices.
    @Test func takesHonestKeys() throws {
        let keys = [
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        ]
        for hex in keys { #expect(CredentialKey(algorithm: Self.ed25519, publicKey: try Self.point(hex)) != nil) }
        for _ in 0..<200 {
            let key = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
            #expect(CredentialKey(algorithm: Self.ed25519, publicKey: key)?.publicKey == key)
        }
    }

    /// The generator of P-256 (SP 800-186 §3.2.1.3) is on the curve; beside it, at zero and at the prime are no points.
    @Test func refusesPointsBesideTheCurve() throws {
        let x = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        let y = "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        let prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
        let zero = String(repeating: "0", count: 64)
        #expect(CredentialKey(algorithm: Self.es256, publicKey: try Self.point(x + y)) != nil)
        let site = try #require(RelyingPartyTests.site)
        for hex in [x + y.dropLast() + "6", y + x, zero + zero, prime + y, x + prime, x + zero] {
            let point = try Self.point(hex)
            #expect(CredentialKey(algorithm: Self.es256, publicKey: point) == nil, "\(hex)")
            var changes = SoftwareAuthenticator.Changes()
            changes.point = point
            let made = SoftwareAuthenticator(.es256, at: site).create([1], changes)
            #expect(throws: WebAuthnError.unsoundKey, "\(hex)") { try site.passkey(in: made.attestation) }
        }
    }
}
