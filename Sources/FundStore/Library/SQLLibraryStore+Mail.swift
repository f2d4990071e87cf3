package import FundCore

extension SQLLibraryStore: MailLibrary {
    package func emails(_ query: EmailQuery, of user: User.ID) async throws -> ListPage<EmailSummary> {
        guard let text = query.text, !text.isEmpty else {
            let page = PageQuery(limit: query.limit, cursor: query.cursor)
            return try await viewing("list emails", of: user) { view in
                let list = try EmailList(query, view)
                return try page.list { try list.emails(after: $0, count: $1) }
            }
        }
        guard !query.isOldestFirst else {
            throw StoreError(.invalid, "search emails", "a search has an order of its own")
        }
        let cursor = try query.cursor.map(SearchPage.cursor)
        await index.catchUp()
        return try await searching("search emails", of: user) { view in
            let list = try EmailList(query, view)
            let expression = SearchExpression(text, of: user, fund: query.fund, kind: .email)
            return try SearchPage(view: view, limit: query.limit, cursor: cursor).fetch(expression) {
                try list.among($0.compactMap(\.item))
            }
        }
    }

    package func email(_ id: EmailSummary.ID, of user: User.ID) async throws -> EmailEntry {
        try await viewing("read an email", of: user) { try $0.emailEntry(id) }
    }

    package func rawMessage(of email: EmailSummary.ID, of user: User.ID) async throws -> RawMessageEntry {
        try await viewing("find a raw message", of: user) { view in
            _ = try view.email(email)
            let row = try view.db.row(
                """
                SELECT message.digest, message.size FROM email JOIN message ON message.id = email.message_id
                WHERE email.id = ? AND message.raw_dropped_at IS NULL
                """, [email])
            guard let row else { throw view.missing() }
            return RawMessageEntry(digest: try row.digest(0), size: row[1])
        }
    }

    package func attachment(_ id: AttachmentEntry.ID, of user: User.ID) async throws -> AttachmentEntry {
        try await viewing("find an attachment", of: user) { view in
            try view.one(view.attachments(where: "attachment.id = ?2", [id]))
        }
    }

    package func moveEmail(
        _ id: EmailSummary.ID, to fund: Fund.ID, if condition: ItemCondition?, of user: User.ID
    ) async throws -> EmailSummary {
        let operation = "move an email"
        return try await changing(operation, .reserve, of: user) { change in
            let email = try change.view.email(id)
            _ = try change.view.fund(fund)
            try change.require(condition, of: .email(id), operation)
            guard email.fund != fund else { return email }
            try change.takeOver(email, in: fund, operation)
            try change.db.execute("UPDATE email SET fund_id = ? WHERE id = ?", [fund, id])
            // Its files that still lie where they were put, at the top of the fund.
            let files = try change.view.files(
                where: """
                    file.fund_id = ?2 AND file.folder_id IS NULL
                        AND file.attachment_id IN (SELECT id FROM attachment WHERE email_id = ?3)
                    """, [email.fund, id])
            for file in files {
                _ = try change.move(.file(file.id), to: LibraryPlace(fund: fund), named: nil, ifTaken: .number)
            }
            return try change.view.email(id)
        }
    }

    package func deleteEmail(_ id: EmailSummary.ID, if condition: ItemCondition?, of user: User.ID) async throws {
        try await delete(.email(id), if: condition, of: user)
    }

    package func restoreEmail(
        _ id: EmailSummary.ID, unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> EmailSummary {
        try await changing("restore an email", .reserve, of: user) { change in
            try change.refuse(.email(id), ifDeletedAfter: time)
            let fund = try change.view.email(id, .deleted).fund
            guard try change.root(of: .email(id)) != nil else { throw change.view.missing() }
            try Deletion.forget(.email(id), change.db)
            try change.touch(.email(id), in: fund)
            return try change.view.email(id)
        }
    }
}
