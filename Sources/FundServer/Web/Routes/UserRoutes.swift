internal import FundHTTP
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

    private struct ChangedUser: Decodable {
        var name: String?
        var isAdministrator: Bool?
        var isDisabled: Bool?
        /// A further address of the user.
        var address: String?
        /// An address that is theirs no longer.
        var removedAddress: String?
        /// A word of `ReceiptSetting`.
        var receipts: String?
        /// A word of `NewsPace`.
        var news: String?
        var deskDigest: Bool?
        /// A word of `PersonLanguage`.
        var language: String?
        /// `default` or `none`; a limit of their own stands in `quotaBytes`, which goes first.
        var quota: String?
        var quotaBytes: Int64?

        enum CodingKeys: String, CodingKey {
            case name, address, receipts, news, language, quota
            case quotaBytes = "quota_bytes"
            case deskDigest = "desk_digest"
            case isAdministrator = "is_administrator"
            case isDisabled = "is_disabled"
            case removedAddress = "removed_address"
        }

        private var quotaChange: StorageQuota? {
            get throws {
                if let quotaBytes { return .bytes(quotaBytes) }
                switch quota {
                case nil: return nil
                case "default": return .standard
                case "none": return .unlimited
                default: throw RequestError.invalid("quota is default or none; quota_bytes is an own limit")
                }
            }
        }

        /// Throws 400 for a word that is no choice of receipts, digests or limits.
        func change() throws -> UserChange {
            let digests = try DigestChange(news: news, desk: deskDigest, language: language)
            return UserChange(
                name: name, isAdministrator: isAdministrator, isDisabled: isDisabled, addedAddress: address,
                removedAddress: removedAddress, receipts: try receipts.map(ReceiptSetting.init(field:)),
                digests: digests.isEmpty ? nil : digests, quota: try quotaChange)
        }
    }

    static let userRoutes: [WebRoute] = [
        .get("/v1/admin/users", .administrator) { call in
            let query = try call.query()
            let users = try await call.administration.users(matching: query["q"], try call.page(query))
            let total = try await call.administration.countUsers(matching: query["q"])
            return try call.list("users", users, total: total) { [limits = call.administration.storageLimits] in
                $0.field($1, limits)
                $0.use(of: $1)
            }
        },
        .post("/v1/admin/users", .administrator) { call in
            let body: NewUser = try await call.body()
            let user = try await call.administration.addUser(
                email: body.email, name: body.name, isAdministrator: body.isAdministrator ?? false,
                addresses: body.addresses ?? [], actor: try call.user.email)
            return call.json(.created, headers: [.location: "/api/v1/admin/users/\(user.id)"]) { $0.field(user) }
        }.proven,
        .get("/v1/admin/users/{user}", .administrator) { call in
            try call.representation(of: try await call.administration.user(try call.id("user")))
        },
        .patch("/v1/admin/users/{user}", .administrator) { call in
            let id: User.ID = try call.id("user")
            let body: ChangedUser = try await call.body()
            let user = try await call.administration.changeUser(
                id, try body.change(), if: userCondition(call), actor: try call.user.email)
            return try call.representation(of: user)
        }.conditional.proven,
        .post("/v1/admin/users/{user}/password-reset", .administrator) { call in
            try call.context.requireSecrecy()
            let reset = try await call.makePasswordReset(for: try call.id("user"))
            return call.json(.created) { json in
                json.field("path", "/reset/\(reset.characters)")
                json.field("expires_at", reset.expiresAt)
            }
        }.proven,
        .act(.delete, "/v1/admin/users/{user}/sessions", .administrator) { call in
            try await call.endSessions(of: try call.id("user"))
        },
    ]

    private static func userCondition(_ call: WebCall) -> (@Sendable (UserRecord) -> Bool)? {
        guard Precondition.isAsked(by: call.request.headers) else { return nil }
        let (headers, limits) = (call.request.headers, call.administration.storageLimits)
        return { user in
            Precondition(headers, entityTag: EntityTag.text { $0.field(user, limits) }, modifiedAt: nil) == .proceed
        }
    }
}

extension WebCall {
    /// A user with what they have.
    func representation(of record: UserRecord) throws -> Response {
        try representation(untagged: { $0.use(of: record) }) { [limits = administration.storageLimits] in
            $0.field(record, limits)
        }
    }
}
