import FundCore

/// Goes on through the header of a message that is over a limit, for the fields by which people know the message: a
/// report without sender and subject is of no use.
struct HeaderRescue {
    /// Bytes that are looked at behind the limit; a header that goes on longer is none.
    private static let maxBytes = 4 << 20
    /// Bytes that are kept of one line. The beginning of a subject is enough to know it.
    private static let maxLineBytes = 4096
    /// Fields that are wanted, with those that their charset and the time need.
    private static let fields: Set<String> = ["from", "subject", "date", "message-id", "content-type"]

    private let limits: ParseLimits
    private var seenBytes = 0
    private var keptBytes = 0
    /// Whether the field whose lines come is one of them.
    private var isWanted = false

    init(limits: ParseLimits) { self.limits = limits }

    /// Takes the next line, without its LF. False when the header is over, or enough was seen.
    mutating func take(_ line: UnsafeRawBufferPointer, into header: inout HeaderBlock?) -> Bool {
        seenBytes += line.count + 1
        guard let first = line.first, !(line.count == 1 && first == .cr), seenBytes <= Self.maxBytes else {
            return false
        }
        if !ASCII.isBlank(first) {
            let name = FieldScan.nameEnd(line, isStrict: true).map { ASCII.lowercased(line[..<$0].prefix(20)) }
            isWanted = name.map(Self.fields.contains) ?? false
        }
        let part = UnsafeRawBufferPointer(rebasing: line.prefix(Self.maxLineBytes))
        guard isWanted, keptBytes + part.count <= limits.maxFieldBytes else { return true }
        keptBytes += part.count
        header?.append(part)
        return true
    }
}
