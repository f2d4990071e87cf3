internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The sender's own contacts, and the people whom they may write to.
extension WebRoute {
    private struct ContactBody: Decodable, Sendable {
        var card: ContactCard
        /// `revision` of the contact that was edited. Without it the last change wins.
        var unlessRevision: Int64?

        private enum CodingKeys: String, CodingKey { case unlessRevision = "unless_revision" }

        init(from decoder: any Decoder) throws {
            card = try ContactCard(from: decoder)
            unlessRevision = try decoder.container(keyedBy: CodingKeys.self)
                .decodeIfPresent(Int64.self, forKey: .unlessRevision)
        }
    }

    static let contactRoutes: [WebRoute] = [
        .get("/v1/contacts") { call in
            let query = try call.query()
            let page = try await call.contacts.contacts(
                try call.contactFilter(query), of: try call.userID, try call.page(query, default: 100))
            let total = try await call.contacts.countContacts(of: try call.userID)
            return try call.list("contacts", page, total: total) { $0.field($1) }
        },
        .post("/v1/contacts") { call in
            let body: ContactBody = try await call.body()
            let contact = try await call.contacts.addContact(body.card, of: try call.userID)
            return call.json(.created, headers: [.location: "/api/v1/contacts/\(contact.id)"]) { $0.field(contact) }
        },
        .get("/v1/contacts/suggestions") { call in
            let people = try await call.suggestedPeople()
            return call.json { json in json.objects("people", people) { $0.field($1) } }
        },
        .get("/v1/contacts/seen") { call in
            let page = try await call.contacts.knownAddresses(
                of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("people", page) { $0.field($1) }
        },
        .get("/v1/contacts/export") { call in
            let word = try call.query().word("version") ?? VCardWriter.Version.v3.rawValue
            guard let version = VCardWriter.Version(rawValue: word) else {
                throw RequestError.invalid("version is 3.0 or 4.0")
            }
            return try await call.contactExport(version: version)
        },
        .post("/v1/contacts/import") { call in
            let isRehearsal = try call.query().flag("rehearse")
            let permit = try call.importPermit()
            defer { withExtendedLifetime(permit) {} }
            let buffer = try await call.request.body.collect(upTo: ContactLimits.maxFileBytes)
            try await call.requireSender(for: .user)
            let file = try await call.contactFile(Array(buffer.readableBytesView))
            try await call.context.reserveResponse(of: 1024 + 256 * file.contacts.count)
            let outcomes = try await call.contacts.importContacts(
                file.contacts, isRehearsal: isRehearsal, of: try call.userID)
            return call.json { json in
                json.objects("results", Array(zip(file.contacts, outcomes))) { json, result in
                    json.field("line", result.0.line)
                    json.field("name", result.0.card.name)
                    json.field(result.1)
                    json.field("left_out", result.0.leftOut.map(\.rawValue).sorted())
                }
                json.field("has_more", file.hasMore)
                json.field("ignored_columns", file.ignoredColumns)
            }
        },
        .get("/v1/contacts/{contact}") { call in
            let contact = try await call.contacts.contact(try call.id("contact"), of: try call.userID)
            return try call.representation(modifiedAt: nil) { $0.field(contact) }
        },
        .put("/v1/contacts/{contact}") { call in
            let id: Contact.ID = try call.id("contact")
            let body: ContactBody = try await call.body()
            let contact = try await call.contacts.changeContact(
                id, body.card, ifRevision: body.unlessRevision, of: try call.userID)
            return call.json { $0.field(contact) }
        },
        .act(.delete, "/v1/contacts/{contact}") { call in
            guard
                try await !call.contacts.deleteContacts([try call.id("contact")], of: try call.userID).isEmpty
            else { throw RequestError.notFound }
        },
        .post("/v1/contacts/{contact}/restore") { call in
            let id: Contact.ID = try call.id("contact")
            try await call.contacts.restoreContacts([id], unlessDeletedAfter: nil, of: try call.userID)
            let contact = try await call.contacts.contact(id, of: try call.userID)
            return call.json { $0.field(contact) }
        },
    ]
}
