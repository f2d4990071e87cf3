internal import Hummingbird
internal import FundCore

extension WebRoute {
    private struct NewFund: Decodable {
        var name: String
        var owner: User.ID
        var aliases: [String]?
    }

    private struct NewOwner: Decodable {
        var owner: User.ID
    }

    private struct NewName: Decodable {
        var name: String
    }

    /// Funds of all users, for administrators.
    static let allFundRoutes: [WebRoute] = [
        .get("/v1/admin/funds", .administrator) { call in
            let query = try call.query()
            let filter = FundFilter(
                owner: try query.id("owner"), words: query["q"], includesArchived: try query.flag("archived"))
            let funds = try await call.administration.funds(filter, try call.page(query))
            return try call.list("funds", funds) { $0.field($1) }
        },
        .post("/v1/admin/funds", .administrator) { call in
            let body: NewFund = try await call.body()
            let fund = try await call.administration.addFund(
                name: body.name, owner: body.owner, aliases: body.aliases ?? [], actor: try call.user.email)
            var record = try await call.administration.fund(fund.id)
            record.fund.tookNameFrom = fund.tookNameFrom
            return call.json(.created) { [record] in $0.field(record) }
        },
        .patch("/v1/admin/funds/{fund}", .administrator) { call in
            let id: Fund.ID = try call.id("fund")
            let body: NewName = try await call.body()
            _ = try await call.administration.fund(id)
            let formerHolder = try await call.administration.renameFund(
                id, to: body.name, actor: try call.user.email)
            var record = try await call.administration.fund(id)
            record.fund.tookNameFrom = formerHolder
            return call.json { [record] in $0.field(record) }
        },
        .post("/v1/admin/funds/{fund}/give", .administrator) { call in
            let id: Fund.ID = try call.id("fund")
            let body: NewOwner = try await call.body()
            let gift = try await call.administration.giveFund(id, to: body.owner, actor: try call.user.email)
            var record = try await call.administration.fund(id)
            record.fund.tookNameFrom = gift.takenNames.first?.formerHolder
            return call.json { [record] in $0.field(record) }
        },
        .act(.post, "/v1/admin/funds/{fund}/archive", .administrator) { call in
            let id: Fund.ID = try call.id("fund")
            _ = try await call.administration.fund(id)
            try await call.administration.archiveFund(id, actor: try call.user.email)
        },
    ]
}
