import FundCore

/// Why the reading of a message stops. What is only odd about a message is a defect, not a failure.
struct ReadFailure: Error {
    var reason: Reason
    var detail: String

    static func tooComplex(_ detail: String) -> ReadFailure { ReadFailure(reason: .tooComplex, detail: detail) }
    static func unparseable(_ detail: String) -> ReadFailure { ReadFailure(reason: .unparseable, detail: detail) }
}
