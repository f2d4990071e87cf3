package import FundCore

extension SQLContactStore {
    package func importContacts(
        _ contacts: [ImportedContact], isRehearsal: Bool, of user: User.ID
    ) async throws -> [ContactMerger.Outcome] {
        let operation = "import contacts"
        if isRehearsal {
            return try await reading(operation, of: user) { rows in
                var merger = ContactMerger(try rows.all())
                return contacts.map { merger.add($0) }
            }
        }
        return try await changing(operation, of: user) { rows in
            var merger = ContactMerger(try rows.all())
            let outcomes = contacts.map { merger.add($0) }
            let now = Timestamp.now
            for entry in merger.changes {
                if let id = entry.id {
                    try rows.update(id, entry.card, now: now)
                } else {
                    _ = try rows.insert(entry.card, uid: entry.uid, now: now)
                }
            }
            let new = merger.changes.count { $0.id == nil }
            try rows.writeAudit(
                .contactImport, "contacts", operation, "\(new) added, \(merger.changes.count - new) changed")
            return outcomes
        }
    }

    // MARK: Files that wait

    package func stageImport(_ file: StagedContacts?, of user: User.ID) async throws {
        try await changing("keep a file of contacts", file == nil ? .reserve : .free, of: user) { rows in
            try rows.db.execute("DELETE FROM contact_import WHERE user_id = ?", [user])
            guard let file else { return }
            try rows.db.execute(
                "INSERT INTO contact_import (user_id, content, at) VALUES (?, ?, ?)",
                [user, StagedContactText.text(of: file), Timestamp.now])
        }
    }

    package func stagedImport(of user: User.ID) async throws -> StagedContacts? {
        try await reading("read a file of contacts", of: user) { rows in
            let text: String? = try rows.db.value("SELECT content FROM contact_import WHERE user_id = ?", [user])
            return text.flatMap(StagedContactText.file)
        }
    }
}
