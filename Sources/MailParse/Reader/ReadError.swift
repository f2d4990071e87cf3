import FundCore

/// Why the reading of a message stops. What is only odd about a message is a defect, not a failure.
struct ReadError: Error {
    var reason: Reason
    var detail: String

    static func tooComplex(_ detail: String) -> ReadError { ReadError(reason: .tooComplex, detail: detail) }
    static func unparseable(_ detail: String) -> ReadError { ReadError(reason: .unparseable, detail: detail) }
}
