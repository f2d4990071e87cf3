import Foundation
import FundClient

/// A hit of a search in a list.
struct HitLine: Encodable {
    var type: String
    var id: Int64
    var fund: FundID
    var fundName: String
    var title: String
    var date: Date
    var excerpt: String
    var page: Int?

    init(_ hit: SearchHit) {
        (type, id, fund, fundName) = (hit.kind.rawValue, hit.id, hit.fund, hit.fundName)
        (title, date, page) = (hit.title, hit.date, hit.page)
        excerpt = hit.excerpt.map(\.text).joined()
    }
}
