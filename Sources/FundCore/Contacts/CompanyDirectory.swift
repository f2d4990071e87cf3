/// The contacts that a company gives all of its people, as its administrator names them.
package struct CompanyDirectory: Sendable {
    /// One person of the directory.
    package struct Person: Sendable, Hashable {
        /// `UID` of the card.
        package var uid: String
        package var card: ContactCard
        /// Digest of the card: another one for each content.
        package var digest: ContentDigest

        package init(uid: String, card: ContactCard, digest: ContentDigest) {
            self.uid = uid
            self.card = card
            self.digest = digest
        }
    }

    /// By name.
    package var people: [Person]
    /// Cards that the file has besides, which were left out: they cannot be kept, or are too many.
    package var hasLeftOut = false
    /// Another one for each content of the directory.
    package var version: ContentDigest

    package init(people: [Person], version: ContentDigest) { (self.people, self.version) = (people, version) }

    /// Reads a file of contacts. Cards that cannot be kept are left out, and so is a second one of an id.
    package init(_ file: [UInt8]) throws(ContactFile.Fault) {
        var seen: Set<String> = []
        let read = try ContactFile(file)
        let contacts = read.contacts.filter { $0.card.problem == nil }
        people = contacts.compactMap { contact -> Person? in
            var writer = VCardWriter(.v4)
            writer.add(contact.card, uid: contact.uid ?? "", changedAt: nil)
            let digest = ContentDigest.of(writer.bytes)
            let uid = contact.uid ?? digest.hex
            return seen.insert(uid).inserted ? Person(uid: uid, card: contact.card, digest: digest) : nil
        }.sorted { (ContactWords.key(of: $0.card.name), $0.uid) < (ContactWords.key(of: $1.card.name), $1.uid) }
        hasLeftOut = read.hasMore || people.count < read.contacts.count
        version = .of(file)
    }
}

extension ContactCard {
    /// The groups in which a directory shows the card: those that it names, and its department.
    package var directoryGroups: [String] {
        department.isEmpty || groups.contains(department) ? groups : groups + [department]
    }
}
