internal import HTTPTypes
internal import Hummingbird
internal import Ingest

extension WebAPI {
    private struct NewUser: Decodable {
        var email: String
        var name: String?
        var isAdministrator: Bool?
        var addresses: [String]?

        enum CodingKeys: String, CodingKey {
            case email, name, addresses
            case isAdministrator = "is_administrator"
        }
    }

    private struct UserChange: Decodable {
        var isDisabled: Bool?
        /// A further one that is theirs.
        var address: String?

        enum CodingKeys: String, CodingKey {
            case address
            case isDisabled = "is_disabled"
        }
    }

    static let userRoutes: [WebRoute] = [
        .get("/v1/admin/users", .administrator) { call in
            let users = try await call.store.users()
            return call.json { json in json.field("users", users) { json, user in json.object { $0.field(user) } } }
        },
        .post("/v1/admin/users", .administrator) { call in
            let body: NewUser = try await call.body()
            let user = try await call.store.addUser(
                email: body.email, name: body.name, isAdministrator: body.isAdministrator ?? false,
                addresses: body.addresses ?? [], actor: try call.user.email)
            return call.json(.created, headers: [.location: "/api/v1/admin/users/\(user.id)"]) { $0.field(user) }
        },
        .get("/v1/admin/users/{user}", .administrator) { call in
            let user = try await userRecord(try call.id("user"), call)
            return call.json { $0.field(user) }
        },
        .patch("/v1/admin/users/{user}", .administrator) { call in
            let (id, actor) = (try call.id("user"), try call.user)
            let change: UserChange = try await call.body()
            _ = try await userRecord(id, call)
            guard change.isDisabled != true || id != actor.id else {
                throw RequestFailure(.conflict, "conflict", "nobody can disable themselves")
            }
            try await call.store.changeUser(
                id, isDisabled: change.isDisabled, addedAddress: change.address, actor: actor.email)
            let user = try await userRecord(id, call)
            return call.json { $0.field(user) }
        },
        .get("/v1/admin/funds", .administrator) { call in
            let funds = try await (call.store as any Administration).funds()
            return call.json { json in json.field("funds", funds) { json, fund in json.object { $0.field(fund) } } }
        },
        .get("/v1/admin/audit", .administrator) { call in
            let entries = try await call.store.audit(limit: try call.query().limit())
            return call.json { json in
                json.field("entries", entries) { json, entry in json.object { $0.field(entry) } }
            }
        },
    ]

    static func userRecord(_ id: User.ID, _ call: WebCall) async throws -> UserRecord {
        guard let record = try await call.store.users().first(where: { $0.user.id == id }) else {
            throw RequestFailure.notFound
        }
        return record
    }

    static let mailboxRoutes: [WebRoute] = [
        .get("/v1/admin/mailboxes", .administrator) { call in
            let mailboxes = try await call.store.mailboxStates()
            return call.json { json in
                json.field("mailboxes", mailboxes) { json, mailbox in json.object { $0.field(mailbox) } }
            }
        }
    ]
}
