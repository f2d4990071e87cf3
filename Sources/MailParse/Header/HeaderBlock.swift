import FundCore

/// A header (RFC 5322 §2.2), cut into fields as its lines come in; a line that is none is a defect, and left out.
struct HeaderBlock: Sendable {
    struct Field: Sendable, Hashable {
        /// Lower-case.
        var name: String
        /// Unfolded, outer white space taken off, otherwise as received.
        var value: [UInt8]
        /// Not every reader takes it for a field of this name: its colon stands on a continuation line, or bytes stand
        /// in the name that none may have (`From` followed by a vertical tab, a no-break space, a zero-width one).
        var isNameOdd = false
    }

    private static let from = Array("from".utf8)

    private(set) var fields: [Field] = []
    private(set) var defects: Set<Defect> = []
    /// The field whose lines are coming in, unfolded, and how many bytes of it stand on its first line.
    private var open: [UInt8] = []
    private var firstLineBytes = 0

    init() { fields.reserveCapacity(40) }

    /// Whether it has a field of MIME (RFC 2045 §3).
    var isMIME: Bool { fields.contains { $0.name.hasPrefix("content-") || $0.name == "mime-version" } }

    /// Takes the next line, without its LF; it is not empty, which would end the header.
    mutating func append(_ line: UnsafeRawBufferPointer) {
        let text = UnsafeRawBufferPointer(rebasing: line[..<(line.last == .cr ? line.count - 1 : line.count)])
        if !ASCII.isBlank(text[0]) {
            finish()
            firstLineBytes = text.count
        }
        open.append(contentsOf: text)
    }

    /// Ends the last field.
    mutating func finish() {
        add(open)
        open.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ line: [UInt8]) {
        guard !line.isEmpty else { return }
        if line.contains(.nul) { defects.insert(.nulInHeader) }
        if line.contains(.cr) { defects.insert(.bareCRInHeader) }
        guard let colon = line.firstIndex(of: .colon) else {
            defects.insert(.malformedHeaderLine)
            return
        }
        var nameEnd = colon
        while nameEnd > 0, ASCII.isBlank(line[nameEnd - 1]) { nameEnd -= 1 }
        guard nameEnd > 0, line[..<nameEnd].allSatisfy({ ASCII.isVisible($0) }) else {
            defects.insert(.malformedHeaderLine)
            // QUIRK: readers that strip such bytes see a From field, so it counts as one (fixture from-name-odd-bytes).
            if nameEnd <= 16, line[..<nameEnd].filter({ ASCII.isVisible($0) }).map(ASCII.lowercased) == Self.from {
                fields.append(Field(name: "from", value: Array(line[(colon + 1)...]), isNameOdd: true))
            }
            return
        }
        // QUIRK: some readers see a From field in `From CRLF SP :` (not RFC 5322 §4.5), so it counts as one.
        let isNameOdd = colon >= firstLineBytes
        if isNameOdd { defects.insert(.malformedHeaderLine) }
        var (lower, upper) = (colon + 1, line.count)
        while lower < upper, ASCII.isBlank(line[lower]) { lower += 1 }
        while upper > lower, ASCII.isBlank(line[upper - 1]) { upper -= 1 }
        let name = String(decoding: line[..<nameEnd].map(ASCII.lowercased), as: UTF8.self)
        fields.append(Field(name: name, value: Array(line[lower..<upper]), isNameOdd: isNameOdd))
    }
}
