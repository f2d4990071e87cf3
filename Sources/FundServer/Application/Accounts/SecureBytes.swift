internal import FundCore

/// Random characters, and comparison of bytes in constant time.
enum SecureBytes {
    /// Crockford's base 32: without I, L, O and U, 5 bits a character.
    private static let readable = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    /// `groups` of four characters with `-` between them, 20 random bits each.
    static func readableGroups(_ groups: Int) -> String {
        let characters = RandomBytes.make(groups * 4).map { readable[Int($0 & 31)] }
        let texts = stride(from: 0, to: characters.count, by: 4).map {
            String(decoding: characters[$0..<($0 + 4)], as: UTF8.self)
        }
        return texts.joined(separator: "-")
    }

    /// The time depends on the lengths only.
    static func areEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}
