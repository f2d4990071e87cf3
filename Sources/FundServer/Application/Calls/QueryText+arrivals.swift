internal import FundHTTP
internal import FundCore

extension QueryText {
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
