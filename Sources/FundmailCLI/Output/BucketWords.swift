import FundStore
import Terminal

/// Words for what is in the bucket of a store.
enum BucketWords {
    static func lines(_ place: BytesPlace, _ status: BucketStatus) -> [String] {
        let limit =
            place.localBytes.map { "at most \(Quantity.display(bytes: $0)) of segments stay" } ?? "all segments stay"
        return [
            "bucket     \(place.address)",
            "there      \(status.segments) segments, \(Quantity.display(bytes: status.bytes))"
                + (status.going > 0 ? "; \(status.going) objects are needed no more" : ""),
            "only here  \(waiting(status))",
            "folder     \(limit); \(status.alone) are in the bucket alone",
        ]
    }

    /// The part of mail and files that is on this disk only.
    static func waiting(_ status: BucketStatus) -> String {
        guard status.waiting > 0 else { return "nothing" }
        let bytes = Quantity.display(bytes: status.waitingBytes)
        return "\(status.waiting) segments, \(bytes), which are not in the bucket yet"
    }

    /// The outcome of a run, in one sentence.
    static func outcome(_ report: BucketReport) -> String {
        var words = ["Put \(report.put) segments (\(Quantity.display(bytes: report.putBytes)))"]
        if report.fetched > 0 { words.append("fetched \(report.fetched)") }
        if report.givenBack > 0 {
            words.append("gave \(Quantity.display(bytes: report.givenBackBytes)) back to the disk")
        }
        if report.deleted > 0 { words.append("deleted \(report.deleted) objects that nothing needs") }
        return words.joined(separator: ", ") + "."
    }
}
