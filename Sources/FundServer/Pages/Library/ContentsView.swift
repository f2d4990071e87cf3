internal import FundHTTP
internal import FundCore

/// How all that a fund has is shown, as the address says.
struct ContentsView {
    let filter: ListFilter
    let isOldestFirst: Bool

    /// Throws 400 for another word in the query.
    init(_ query: QueryText) throws {
        filter = try ListFilter(query)
        let sort: (key: ItemOrder.Key, isDescending: Bool)? = try query.sort()
        // By name or size there would be no order of mail.
        guard sort?.key ?? .modifiedAt == .modifiedAt else {
            throw RequestError.invalid("sort must be modified_at or -modified_at")
        }
        isOldestFirst = sort.map { !$0.isDescending } ?? false
    }

    private static func sort(isOldestFirst: Bool) -> (name: String, value: String?) {
        ("sort", isOldestFirst ? ItemOrder(.modifiedAt).word : nil)
    }

    var sort: (name: String, value: String?) { Self.sort(isOldestFirst: isOldestFirst) }

    var fields: [(name: String, value: String?)] { [sort] + filter.fields }

    /// Whether nothing is left out and the latest comes first.
    var isUsual: Bool { !filter.isNarrow && !isOldestFirst }

    /// For the menu of the filter line.
    func sorts(_ path: String, _ call: PageCall) -> [PageModel] {
        [false, true].map { isOldest in
            let query = PageQueryText.text([Self.sort(isOldestFirst: isOldest)] + filter.fields)
            return [
                "text": call.words(isOldest ? "sort.oldest" : "sort.latest"), "address": path + query,
                "isChosen": isOldest == isOldestFirst,
            ]
        }
    }
}
