internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension WebRoute {
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
        /// A further address of the user.
        var address: String?

        enum CodingKeys: String, CodingKey {
            case address
            case isDisabled = "is_disabled"
        }
    }

    static let userRoutes: [WebRoute] = [
        .get("/v1/admin/users", .administrator) { call in
            let users = try await call.administration.users(try call.page(try call.query()))
            let total = try await call.administration.countUsers()
            return try call.list("users", users, total: total) { $0.field($1) }
        },
        .post("/v1/admin/users", .administrator) { call in
            let body: NewUser = try await call.body()
            let user = try await call.administration.addUser(
                email: body.email, name: body.name, isAdministrator: body.isAdministrator ?? false,
                addresses: body.addresses ?? [], actor: try call.user.email)
            return call.json(.created, headers: [.location: "/api/v1/admin/users/\(user.id)"]) { $0.field(user) }
        },
        .get("/v1/admin/users/{user}", .administrator) { call in
            let user = try await call.administration.user(try call.id("user"))
            return try call.representation { $0.field(user) }
        },
        .patch("/v1/admin/users/{user}", .administrator) { call in
            let (id, actor): (User.ID, User) = (try call.id("user"), try call.user)
            let change: UserChange = try await call.body()
            _ = try await call.administration.user(id)
            guard change.isDisabled != true || id != actor.id else {
                throw RequestError(.conflict, "conflict", "nobody can disable themselves")
            }
            let user = try await call.administration.changeUser(
                id, isDisabled: change.isDisabled, addedAddress: change.address, if: userCondition(call),
                actor: actor.email)
            return try call.representation { $0.field(user) }
        }.conditional,
        .get("/v1/admin/funds", .administrator) { call in
            let funds = try await call.administration.funds(try call.page(try call.query()))
            return try call.list("funds", funds) { $0.field($1) }
        },
        .get("/v1/admin/mailboxes", .administrator) { call in
            let mailboxes = try await call.parts.store.mail.mailboxStates()
            return call.json { json in
                json.field("mailboxes", mailboxes) { json, mailbox in json.object { $0.field(mailbox) } }
            }
        },
    ]

    private static func userCondition(_ call: WebCall) -> (@Sendable (UserRecord) -> Bool)? {
        guard Precondition.isAsked(by: call.request.headers) else { return nil }
        let headers = call.request.headers
        return { user in
            Precondition(headers, entityTag: EntityTag.text { $0.field(user) }, modifiedAt: nil) == .proceed
        }
    }
}
