internal import Foundation
internal import HTTPTypes

extension Session {
    private struct HitList: Decodable {
        var hits: [SearchHit]
        var next: String?
    }

    /// A page of what holds all words: what changed latest first.
    /// - Parameters:
    ///   - words: not empty.
    ///   - limit: 1 to `maxPageSize`.
    public func search(
        _ words: String, _ filter: SearchFilter = SearchFilter(), after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(ClientError) -> Page<SearchHit> {
        let query = [
            ("q", words), ("type", filter.kind?.rawValue), ("sender", filter.sender), ("limit", "\(limit)"),
            ("cursor", cursor?.text),
        ]
        let list = try await value(HitList.self, .get("/api/v1/search", query + filter.fundAndTimes))
        return Page(list.hits, next: list.next.map(PageCursor.init))
    }
}

extension SearchFilter {
    /// Parts of a query that all searches have.
    var fundAndTimes: [(String, String?)] {
        [
            ("fund", fund.map { "\($0)" }), ("since", since.map { "\($0.secondsSince1970)" }),
            ("until", until.map { "\($0.secondsSince1970)" }),
        ]
    }
}
