import FundCore

/// The request target of a signed call (RFC 9112 §3.2.1), taken apart without decoding: the sign covers the bytes that
/// were sent, and each call can be written in one way only.
///
/// `/notes/3/12/7/<sign>?ts=…`: the word of the route, ids of items, the user's id, the sign.
struct MobileTarget: Equatable {
    /// 64 hexadecimal digits.
    private static let signBytes = 32

    /// Ids of items, as many as the route has.
    var ids: [Int64]
    var user: User.ID
    var sign: [UInt8]
    /// Up to and including the user's id.
    var signedPath: String
    /// Without `?`.
    var query: String

    /// Nil when an id or the sign is not in its one form; such a target has no valid sign.
    init?(_ target: String) {
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let segments = halves[0].split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 4, segments[0].isEmpty, let sign = Self.sign(segments[segments.count - 1]) else {
            return nil
        }
        let numbers = segments[2..<(segments.count - 1)].map(Self.id)
        guard let user = numbers.last ?? nil, numbers.allSatisfy({ $0 != nil }) else { return nil }
        self.ids = numbers.dropLast().compactMap { $0 }
        self.user = User.ID(user)
        self.sign = sign
        signedPath = segments.dropLast().joined(separator: "/")
        query = halves.count > 1 ? String(halves[1]) : ""
    }

    /// Decimal, without a sign and leading zeros.
    private static func id(_ text: Substring) -> Int64? {
        guard (1...19).contains(text.utf8.count),
            text.utf8.allSatisfy(ASCII.isDigit),
            text.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int64(text)
    }

    /// Lower-case digits only.
    private static func sign(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count == 2 * signBytes, let sign = Hex.bytes(text.utf8), Hex.text(sign) == text else {
            return nil
        }
        return sign
    }
}
