internal import Hummingbird
internal import FundCore

extension WebRoute {
    private struct NewFund: Decodable {
        var name: String
    }

    private struct FundChange: Decodable {
        var name: String?
        var aliases: [String]?
    }

    private struct Visit: Decodable {
        /// The latest that was shown; nil when all were.
        var latestEmail: EmailSummary.ID?

        enum CodingKeys: String, CodingKey {
            case latestEmail = "latest_email"
        }
    }

    static let fundRoutes: [WebRoute] = [
        .get("/v1/funds") { call in
            let funds = try await call.library.fundSummaries(of: try call.userID, try call.page(try call.query()))
            return try call.list("funds", funds) { $0.field($1) }
        },
        .post("/v1/funds") { call in
            let body: NewFund = try await call.body()
            let fund = try await call.library.addFund(body.name, of: try call.userID)
            return try call.representation(
                .created, headers: [.location: "/api/v1/funds/\(fund.id)"], of: .item(.fund(fund)),
                untagged: { $0.fieldOfChange(fund) })
        },
        .get("/v1/funds/{fund}") { call in
            let fund = try await call.library.fund(try call.id("fund"), of: try call.userID)
            return try call.representation(of: .item(.fund(fund)))
        },
        .patch("/v1/funds/{fund}") { call in
            let (id, user): (Fund.ID, User.ID) = (try call.id("fund"), try call.userID)
            let change: FundChange = try await call.body()
            let fund = try await call.library.changeFund(
                id, name: change.name, aliases: change.aliases, if: call.condition, of: user)
            return try call.representation(of: .item(.fund(fund)), untagged: { $0.fieldOfChange(fund) })
        }.conditional,
        // Apart from the fund, whose tag must not change with every mail: it guards changes.
        .get("/v1/funds/{fund}/summary") { call in
            let summary = try await call.library.fundSummary(try call.id("fund"), of: try call.userID)
            return try call.representation { $0.field(summary) }
        },
        .post("/v1/funds/{fund}/seen") { call in
            let (id, user): (Fund.ID, User.ID) = (try call.id("fund"), try call.userID)
            let body: Visit = try await call.body()
            try await call.library.noteVisit(to: id, upTo: body.latestEmail, of: user)
            let summary = try await call.library.fundSummary(id, of: user)
            return call.json { $0.field(summary) }
        },
        .act(.post, "/v1/funds/{fund}/archive") { call in
            try await call.library.archiveFund(try call.id("fund"), if: call.condition, of: try call.userID)
        }.conditional,
        .act(.delete, "/v1/funds/{fund}") { call in try await delete(.fund(try call.id("fund")), call) }.conditional,
        .get("/v1/funds/{fund}/items") { call in
            let place = LibraryPlace(fund: try call.id("fund"))
            return try await items(in: place, call)
        },
    ]

    static func items(in place: LibraryPlace, _ call: WebCall) async throws -> Response {
        let (query, user) = (try call.query(), try call.userID)
        let items = try await call.library.children(of: place, by: try ItemOrder(query), try call.page(query), of: user)
        let total = try await call.library.countChildren(of: place, of: user)
        var previews = await call.previews(of: WebCall.previewed(items.items)).makeIterator()
        return try call.list("items", items, total: total) { $0.field($1, &previews) }
    }
}

extension ItemOrder {
    /// `sort=name`; `sort=-size` for descending order.
    init(_ query: QueryText) throws {
        let sort: (key: Key, isDescending: Bool)? = try query.sort()
        self = sort.map { ItemOrder($0.key, isDescending: $0.isDescending) } ?? ItemOrder()
    }
}
