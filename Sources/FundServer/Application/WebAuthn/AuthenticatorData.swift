internal import FundCore

/// The part of a passkey's answer that its device wrote (Web Authentication Level 3, §6.1).
struct AuthenticatorData: Sendable {
    /// The bit of each flag.
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let present = Flags(rawValue: 1 << 0)
        static let verified = Flags(rawValue: 1 << 2)
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backedUp = Flags(rawValue: 1 << 4)
        static let hasCredential = Flags(rawValue: 1 << 6)
        static let hasExtensions = Flags(rawValue: 1 << 7)
    }

    private static let hashBytes = 32
    private static let counterBytes = 4
    private static let modelBytes = 16
    private static let lengthBytes = 2

    /// SHA-256 of the id of the site that it is for.
    let siteHash: [UInt8]
    let counter: Int64
    /// Whether the device checked that its owner is there.
    let isVerified: Bool
    /// The passkey that was made; nil when one signs in.
    let credential: (id: [UInt8], key: CBORValue)?

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        var rest = bytes[...]
        func take(_ count: Int) throws(WebAuthnError) -> ArraySlice<UInt8> {
            guard rest.count >= count else { throw .malformed }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        siteHash = Array(try take(Self.hashBytes))
        let flags = Flags(rawValue: try take(1).first ?? 0)
        counter = try take(Self.counterBytes).reduce(0) { $0 << 8 | Int64($1) }
        guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else { throw .malformed }
        isVerified = flags.contains([.present, .verified])
        if flags.contains(.hasCredential) {
            _ = try take(Self.modelBytes)
            let length = try take(Self.lengthBytes).reduce(0) { $0 << 8 | Int($1) }
            guard (1...PasskeyKey.maxCredentialBytes).contains(length) else { throw .malformed }
            let id = Array(try take(length))
            var reader = CBORReader(rest)
            credential = (id, try reader.next())
            rest = reader.rest
        } else {
            credential = nil
        }
        if flags.contains(.hasExtensions) {
            var reader = CBORReader(rest)
            guard case .map = try reader.next() else { throw .malformed }
            rest = reader.rest
        }
        guard rest.isEmpty else { throw .malformed }
    }
}
