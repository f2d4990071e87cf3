internal import HTTPTypes

extension Session {
    private struct FundList: Decodable {
        var funds: [FundSummary]
        var next: String?
    }

    private struct FundName: Encodable {
        var name: String
    }

    /// All funds of the user that are not deleted, by name.
    public func funds() async throws(ClientError) -> [Fund] { try await fundSummaries().map(\.fund) }

    /// All funds of the user that are not deleted, by name, with how much is in each.
    public func fundSummaries() async throws(ClientError) -> [FundSummary] {
        var funds: [FundSummary] = []
        var cursor: String?
        repeat {
            let list = try await value(FundList.self, .get("/api/v1/funds", [("cursor", cursor)]))
            funds += list.funds
            cursor = list.next
        } while cursor != nil
        return funds
    }

    /// One fund.
    public func fund(_ id: FundID) async throws(ClientError) -> Fund {
        try await value(.get("/api/v1/funds/\(id)"))
    }

    /// Throws `conflict` when a fund of the user has a name that reads alike.
    public func makeFund(named name: String) async throws(ClientError) -> Fund {
        try await value(.sending(.post, "/api/v1/funds", FundName(name: name)))
    }

    /// Throws `conflict` when a fund of the user has a name that reads alike.
    public func renameFund(
        _ id: FundID, to name: String, ifMatch tag: EntityTag? = nil
    ) async throws(ClientError) -> Fund {
        try await value(.sending(.patch, "/api/v1/funds/\(id)", FundName(name: name)).ifMatch(tag))
    }

    /// Puts it into the trash with all that is in it.
    public func deleteFund(_ id: FundID, ifMatch tag: EntityTag? = nil) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/funds/\(id)", isRepeatable: true).ifMatch(tag).patiently())
    }

    /// Restores a fund from the trash; under a numbered name if its own is taken.
    public func restoreFund(_ id: FundID) async throws(ClientError) -> Fund {
        try await value(Call(.post, "/api/v1/funds/\(id)/restore").patiently())
    }
}
