import FundCore

/// What the scan before GMime found in a message that is within the limits.
struct PrescanResult: Sendable {
    /// Where the header starts: GMime gets the file from here.
    var headerOffset: Int64
    var header: HeaderBlock
    var defects: Set<Defect>
    /// Where the body of a header begins that no empty line ends, ascending; GMime would take the lines for a part of
    /// the header.
    var missingSeparators: [Int64] = []
}

/// Whether a message may be given to GMime.
enum PrescanVerdict: Sendable {
    case ok(PrescanResult)
    /// `tooComplex`, `tooLarge` or `unparseable`, with as much of the header as could be read.
    case refused(Reason, detail: String, header: HeaderBlock?, defects: Set<Defect>)
}
