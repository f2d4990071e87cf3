/// What we may do in a folder (RFC 4314 §2.1), a letter each.
package struct MailboxRights: Sendable, Hashable {
    package let letters: String
    /// Whether the server knows `k`, `t` and `e`. Then `c` and `d` say nothing: they stand there when any of the rights that they meant
    /// is given (RFC 4314 §2.1.1). Before, in RFC 2086, they were all there was.
    private let isDivided: Bool

    init(letters: String, capabilities: Set<String>) {
        self.letters = letters
        isDivided = capabilities.contains { $0.hasPrefix("RIGHTS=") } || letters.contains { "kxte".contains($0) }
    }

    private func has(_ right: Character, before: Character) -> Bool { letters.contains(isDivided ? right : before) }

    /// `t`: mark messages as deleted.
    package var mayMarkDeleted: Bool { has("t", before: "d") }
    /// `e`: remove what is marked.
    package var mayExpunge: Bool { has("e", before: "d") }
    /// `k`: make folders below it.
    package var mayCreate: Bool { has("k", before: "c") }
    /// `w`: set flags other than seen and deleted.
    package var mayFlag: Bool { letters.contains("w") }
    /// `i`: bring messages in.
    package var mayInsert: Bool { letters.contains("i") }
}
