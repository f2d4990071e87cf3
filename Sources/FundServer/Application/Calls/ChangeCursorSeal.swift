internal import Crypto
import FundCore

/// Turns points in the feed of changes into numbers for clients and back. The store counts the changes of all users in
/// one row, and a client that saw its numbers would learn how much the others do. A permutation of 52 bits for each
/// user: JSON readers hold such numbers exactly, and neither their size nor their distance tells anything.
struct ChangeCursorSeal: Sendable {
    private static let epochBits = Int64(16)
    private static let numberBits = Int64(36)
    private static let halfBits = Int64(26)
    private static let halfMask = Int64(1) << halfBits - 1
    /// Rounds of a Feistel network. FF1 of NIST SP 800-38G has ten; here only a count is hidden.
    private static let rounds = UInt8(8)

    private let key: SymmetricKey

    init(serverKey: [UInt8]) { key = SymmetricKey(serverKey: serverKey, purpose: "fundmail change cursors") }

    func seal(_ cursor: ChangeCursor, for user: User.ID) -> Int64 {
        let plain =
            (cursor.epoch & (1 << Self.epochBits - 1)) << Self.numberBits
            | cursor.number & (1 << Self.numberBits - 1)
        var (left, right) = (plain >> Self.halfBits, plain & Self.halfMask)
        for round in 0..<Self.rounds { (left, right) = (right, left ^ mix(right, round, user)) }
        return left << Self.halfBits | right
    }

    /// Nil for a number out of range. Another that was never given may open all the same: the store checks its epoch.
    func open(_ number: Int64, for user: User.ID) -> ChangeCursor? {
        guard number >= 0, number >> (Self.epochBits + Self.numberBits) == 0 else { return nil }
        var (left, right) = (number >> Self.halfBits, number & Self.halfMask)
        for round in (0..<Self.rounds).reversed() { (left, right) = (right ^ mix(left, round, user), left) }
        let plain = left << Self.halfBits | right
        return ChangeCursor(epoch: plain >> Self.numberBits, number: plain & (1 << Self.numberBits - 1))
    }

    private func mix(_ half: Int64, _ round: UInt8, _ user: User.ID) -> Int64 {
        var bytes = [round]
        for value in [user.rawValue, half] { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: key)
        return code.withUnsafeBytes { Int64($0.loadUnaligned(as: UInt32.self).bigEndian) } & Self.halfMask
    }
}
