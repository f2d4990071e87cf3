import FundCore

/// What the scan before GMime found in a message that is within the limits.
struct PrescanResult: Sendable {
    /// Where the header starts: GMime gets the file from here.
    var headerOffset: Int64
    var header: HeaderBlock
    var defects: Set<Defect>
    /// Where bodies begin that no empty line parts from their header, ascending; GMime would count them to it.
    var missingSeparators: [Int64] = []
    var landmarks = Landmarks()
}

/// Where parts begin and end, so that it need not be searched again. Positions are ascending.
struct Landmarks: Sendable {
    struct Delimiter: Sendable {
        /// Of the line.
        var position: Int64
        /// `Boundary.key` of what stands behind its `--`, with and without a final mark.
        var keys: (whole: UInt64, withoutMark: UInt64?)
    }

    /// Behind each empty line that ends a header.
    var bodies: [Int64] = []
    var delimiters: [Delimiter] = []

    /// Behind the header that begins at `start`; nil when no empty line ends it.
    func body(headerAt start: Int64) -> Int64? { bodies.first { $0 > start } }

    /// The first delimiter line from `start` on that has one of these keys.
    func delimiter(from start: Int64, keys: [UInt64]) -> Int64? {
        delimiters.first { delimiter in
            delimiter.position >= start
                && keys.contains { $0 == delimiter.keys.whole || $0 == delimiter.keys.withoutMark }
        }?.position
    }
}

/// Whether a message may be given to GMime.
enum PrescanVerdict: Sendable {
    case ok(PrescanResult)
    /// `tooComplex`, `tooLarge` or `unparseable`, with as much of the header as could be read.
    case refused(Reason, detail: String, header: HeaderBlock?, defects: Set<Defect>)
}
