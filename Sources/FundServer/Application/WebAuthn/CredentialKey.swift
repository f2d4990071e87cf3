internal import Crypto
internal import Foundation

/// A public key of a passkey (RFC 9052, RFC 9053).
enum CredentialKey: Sendable {
    case es256(P256.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Numbers of the algorithms, the preferred one first (COSE registry of IANA).
    static let algorithms: [Int64] = [ed25519Number, es256Number]
    private static let (es256Number, ed25519Number): (Int64, Int64) = (-7, -8)
    private static let coordinateBytes = 32

    /// Nil for another algorithm, for a point that is not on P-256, and for one of Ed25519 that is no key.
    init?(algorithm: Int64, publicKey: [UInt8]) {
        switch algorithm {
        case Self.es256Number:
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: publicKey) else { return nil }
            self = .es256(key)
        case Self.ed25519Number:
            guard EdwardsPoint.isKey(publicKey),
                let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
            else { return nil }
            self = .ed25519(key)
        default: return nil
        }
    }

    /// The key that a COSE_Key describes.
    init(cose: CBORValue) throws(WebAuthnError) {
        // RFC 9052 §7.1 and RFC 9053 §7: kind, algorithm, curve, coordinates.
        let (kindLabel, algorithmLabel, curveLabel, xLabel, yLabel): (Int64, Int64, Int64, Int64, Int64) = (
            1, 3, -1, -2, -3
        )
        guard let kind = cose[kindLabel]?.integer, let algorithm = cose[algorithmLabel]?.integer else {
            throw .malformed
        }
        let (x, y) = (cose[xLabel]?.bytes ?? [], cose[yLabel]?.bytes ?? [])
        // Kinds: 1 is a point of one coordinate, 2 of two. Curves: 1 is P-256, 6 is Ed25519.
        switch (algorithm, kind, cose[curveLabel]?.integer) {
        case (Self.es256Number, 2, 1):
            guard x.count == Self.coordinateBytes, y.count == Self.coordinateBytes else { throw .malformed }
            guard let key = CredentialKey(algorithm: algorithm, publicKey: x + y) else { throw .unsoundKey }
            self = key
        case (Self.ed25519Number, 1, 6):
            guard x.count == Self.coordinateBytes else { throw .malformed }
            guard let key = CredentialKey(algorithm: algorithm, publicKey: x) else { throw .unsoundKey }
            self = key
        default: throw .unknownAlgorithm
        }
    }

    var algorithm: Int64 {
        switch self {
        case .es256: Self.es256Number
        case .ed25519: Self.ed25519Number
        }
    }

    /// Coordinates of the point.
    var publicKey: [UInt8] {
        switch self {
        case .es256(let key): Array(key.rawRepresentation)
        case .ed25519(let key): Array(key.rawRepresentation)
        }
    }

    /// Whether the key made this signature of the bytes (Web Authentication, §6.5.5).
    func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        switch self {
        case .es256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: Data(bytes))
        case .ed25519(let key): return key.isValidSignature(Data(signature), for: Data(bytes))
        }
    }
}
