package import FundCore

/// Looks up the names of what entries of the audit trail mention. A page of the trail mentions few things, each of
/// which is one step in an index.
struct AuditNameLookup {
    let db: Database

    func names(of references: AuditReferences) throws -> AuditNames {
        var names = AuditNames()
        for address in references.addresses {
            names.people[address] = try db.value("SELECT nullif(name, '') FROM \"user\" WHERE email = ?", [address])
        }
        for user in references.users {
            names.users[user] = try db.value("SELECT email FROM \"user\" WHERE id = ?", [user])
        }
        for id in references.misroutes {
            names.misroutes[id] = try message("SELECT subject, sender FROM misroute WHERE id = ?", id)
        }
        for id in references.emails {
            names.emails[id] = try message("SELECT subject, from_address FROM email WHERE id = ?", id)
        }
        for id in references.letters {
            names.letters[id] = try message(
                "SELECT subject, \"user\".email FROM letter JOIN \"user\" ON \"user\".id = user_id WHERE letter.id = ?",
                id)
        }
        for content in references.contents { names.contents[content] = try name(of: content) }
        return names
    }

    private func message(_ sql: String, _ id: any SQLValue) throws -> AuditNames.Message? {
        try db.row(sql, [id]).map { AuditNames.Message(subject: $0[0], sender: $0[1]) }
    }

    /// The name of a file with this content, else of an attachment, else the subject of a message that holds it.
    private func name(of content: ContentDigest) throws -> String? {
        let queries = [
            "SELECT file.name FROM blob JOIN file ON file.blob_id = blob.id WHERE blob.digest = ? LIMIT 1",
            """
            SELECT attachment.display_name FROM blob JOIN attachment ON attachment.blob_id = blob.id
            WHERE blob.digest = ? LIMIT 1
            """,
            """
            SELECT misroute.subject FROM blob JOIN message_blob ON message_blob.blob_id = blob.id
                JOIN misroute ON misroute.message_id = message_blob.message_id WHERE blob.digest = ? LIMIT 1
            """,
        ]
        for query in queries {
            if let name: String = try db.value(query, [content]), !name.isEmpty { return name }
        }
        return nil
    }
}

extension SQLAdministrationStore {
    package func auditNames(of references: AuditReferences) async throws -> AuditNames {
        try await connection.reading("name what the audit trail mentions") {
            try AuditNameLookup(db: $0).names(of: references)
        }
    }
}
