/// Why a passkey, or what it signed, is not taken.
enum WebAuthnError: Error, Hashable, CaseIterable {
    /// It is none of what the specification describes.
    case malformed
    /// It is about another act: about adding a passkey instead of signing in, or the other way round.
    case wrongType
    /// Another site asked for it.
    case wrongOrigin
    /// The device did not check that its owner is there, by a fingerprint, a face or a code.
    case unverified
    /// The key is of a kind that this server does not know.
    case unknownAlgorithm
    /// The key is no point of its curve, or one for which everybody can make signatures.
    case unsoundKey
    case wrongSignature
}
