internal import FundHTTP
internal import FundCore

extension QueryText {
    /// The search that `q`, `fund`, `since` and `until` name. Throws 400 without words.
    func search() throws -> SearchQuery {
        guard let words = self["q"] else { throw RequestError.invalid("q is missing") }
        var query = SearchQuery(text: words)
        query.fund = try id("fund")
        query.since = try time("since")
        query.until = try time("until")
        return query
    }

    /// The kind of arrivals that `kind` names; nil when it is missing. Throws 400 for other words.
    func arrivalKind() throws -> ArrivalQuery.Kind? {
        try word("kind").map { word in
            guard let kind = ArrivalQuery.Kind(rawValue: word) else {
                throw RequestError.invalid("kind must be mail or uploads")
            }
            return kind
        }
    }
}
