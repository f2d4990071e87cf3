/// The wanted contacts of a list; all as long as nothing is set.
package struct ContactFilter: Sendable, Hashable {
    /// Words, each of which begins a word of the contact: of its name, addresses, organisation, groups or numbers.
    package var words: String?
    /// A group, without regard to case.
    package var group: String?
    /// The letter with which the name begins, `A` to `Z`; `#` for all other names.
    package var initial: Character?

    package init(words: String? = nil, group: String? = nil, initial: Character? = nil) {
        self.words = words
        self.group = group
        self.initial = initial
    }
}

/// A group of a user's contacts.
package struct ContactGroup: Sendable, Hashable {
    package var name: String
    package var count: Int

    package init(name: String, count: Int) { (self.name, self.count) = (name, count) }

    /// The groups of some contacts by name, without regard to case: the first spelling stands for all.
    package static func groups(of lists: some Sequence<[String]>) -> [ContactGroup] {
        var groups: [String: ContactGroup] = [:]
        for name in lists.joined() {
            groups[ContactWords.key(of: name), default: ContactGroup(name: name, count: 0)].count += 1
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }
}
