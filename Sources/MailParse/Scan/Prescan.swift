import FundCore

/// Result of the scan before GMime for a message that is within the limits.
struct PrescanResult: Sendable {
    /// Where the header starts: GMime gets the file from here.
    var headerOffset: Int64
    var header: HeaderBlock
    var defects: Set<Defect>
    /// Where bodies begin that no empty line parts from their header, ascending; GMime would count them to it.
    var missingSeparators: [Int64] = []
}

/// Whether a message may be given to GMime.
enum PrescanVerdict: Sendable {
    case ok(PrescanResult)
    /// `tooComplex`, `tooLarge` or `unparseable`, with as much of the header as could be read.
    case refused(Reason, detail: String, header: HeaderBlock?, defects: Set<Defect>)
}
