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
        func seconds(_ date: Date?) -> String? { date.map { "\($0.secondsSince1970)" } }
        let list = try await value(
            HitList.self,
            .get(
                "/api/v1/search",
                [
                    ("q", words), ("fund", filter.fund.map { "\($0)" }), ("type", filter.kind?.rawValue),
                    ("sender", filter.sender), ("since", seconds(filter.since)), ("until", seconds(filter.until)),
                    ("limit", "\(limit)"), ("cursor", cursor?.text),
                ]))
        return Page(list.hits, next: list.next.map(PageCursor.init))
    }
}
