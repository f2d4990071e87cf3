import Glibc
import FundCore

/// Scans the bytes of a message before GMime sees them: follows headers, boundaries and nested messages as GMime does
/// and counts a little more rather than less, so that nothing passes whose cost GMime does not bound itself.
struct StructureScanner {
    private enum Place { case start, header, body }

    /// A body line longer than this cannot be a boundary, a header line longer than a field may be is refused.
    private static let keptLineBytes = 256 * 1024
    /// Fields and header bytes of all parts together: nested messages are many, but not each at its limit.
    private static let headersPerMessage = 64

    /// Stands for a nested message among the open boundaries.
    private static let messageLevel: UInt64 = 0

    private let limits: ParseLimits
    private var place = Place.start
    private var offset: Int64 = 0
    private var headerOffset: Int64 = 0
    private var isMainHeader = true
    /// Nil until its first line.
    private var mainHeader: HeaderBlock?
    private var defects: Set<Defect> = []
    private var refusal: (reason: Reason, detail: String)?
    /// The header of a message that is refused goes on: what people know the message by may stand below.
    private var rescue: HeaderRescue?
    /// The beginning of a line whose end has not been read.
    private var carry: [UInt8] = []
    private var carryDropped = 0
    // the header that is being read
    private var field = FieldScan()
    private var fields = 0
    private var headerBytes = 0
    private var header = HeaderFindings()
    /// Nil where no separator is looked for.
    private var separator: SeparatorSearch? = SeparatorSearch(isPart: false)
    /// Where an empty line is missing between a header and its body.
    private var missingSeparators: [Int64] = []
    // the whole message
    private var totalFields = 0
    private var totalHeaderBytes = 0
    private var boundaryLines = 0
    private var containers = 0
    private var messages = 0
    private var openBoundaries: [UInt64] = []
    private var declared: Set<UInt64> = []
    /// Something declares a boundary in a way that is read differently: every line with `--` may be one.
    private var isAnyDashBoundary = false
    private var hasDigest = false
    private var depth = 0

    init(limits: ParseLimits) { self.limits = limits }

    /// False once nothing that follows can matter.
    var wantsMore: Bool {
        if refusal != nil { return rescue != nil }
        return !(place == .body && declared.isEmpty && !isAnyDashBoundary)
    }

    mutating func feed(_ chunk: UnsafeRawBufferPointer) {
        guard let base = chunk.baseAddress else { return }
        var position = 0
        while position < chunk.count, wantsMore {
            let rest = chunk.count - position
            guard let found = memchr(base + position, Int32(UInt8.lf), rest) else {
                keep(UnsafeRawBufferPointer(start: base + position, count: rest))
                return
            }
            let length = UnsafeRawPointer(found) - (base + position)
            let piece = UnsafeRawBufferPointer(start: base + position, count: length)
            position += length + 1
            if carry.isEmpty, carryDropped == 0 {
                line(piece, dropped: 0)
            } else {
                keep(piece)
                let (whole, dropped) = (carry, carryDropped)
                carry = []
                carryDropped = 0
                whole.withUnsafeBytes { line($0, dropped: dropped) }
            }
        }
    }

    mutating func verdict(messageBytes: Int64) -> PrescanVerdict {
        if wantsMore, !carry.isEmpty {
            let whole = carry
            carry = []
            whole.withUnsafeBytes { line($0, dropped: carryDropped) }
        }
        if place == .header { endHeader() }
        if messageBytes > limits.maxMessageBytes {
            refusal = (.tooLarge, "\(messageBytes) bytes, the limit is \(limits.maxMessageBytes)")
        } else if refusal == nil, place == .start {
            refusal = (.unparseable, "there is no header")
        }
        mainHeader?.finish()
        if let refusal {
            return .refused(refusal.reason, detail: refusal.detail, header: mainHeader, defects: defects)
        }
        return .ok(
            PrescanResult(
                headerOffset: headerOffset, header: mainHeader ?? HeaderBlock(),
                defects: defects,
                missingSeparators: missingSeparators))
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        let room = max(0, Self.keptLineBytes - carry.count)
        carry.append(contentsOf: piece.prefix(room))
        carryDropped += max(0, piece.count - room)
        if place != .body, carryDropped > 0 { refuse("a header line of more than \(Self.keptLineBytes) bytes") }
    }

    private mutating func refuse(_ detail: String, _ reason: Reason = .tooComplex) {
        guard refusal == nil else { return }
        refusal = (reason, detail)
        guard isMainHeader, place != .body, reason == .tooComplex else { return }
        mainHeader = mainHeader ?? HeaderBlock()
        rescue = HeaderRescue(limits: limits)
    }

    /// `text` is a line without its LF.
    private mutating func line(_ text: UnsafeRawBufferPointer, dropped: Int) {
        let lineBytes = Int64(text.count + dropped + 1)
        defer { offset += lineBytes }
        if rescue != nil {
            if rescue?.take(text, into: &mainHeader) != true { rescue = nil }
            return
        }
        switch place {
        case .start: startLine(text)
        case .header:
            if isBoundary(text) { return }
            headerLine(text)
        case .body: _ = isBoundary(text)
        }
    }

    /// GMime loses the whole header behind an empty line or an mbox line, so both are skipped.
    private mutating func startLine(_ text: UnsafeRawBufferPointer) {
        var text = text
        // `line` counts the byte order mark with the first line.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var markBytes: Int64 = 0
        if offset == 0, text.starts(with: mark) {
            text = UnsafeRawBufferPointer(rebasing: text.dropFirst(mark.count))
            markBytes = Int64(mark.count)
        }
        if text.allSatisfy(ASCII.isSpace) {
            defects.insert(.leadingBlankLine)
        } else if FieldScan.nameEnd(text, isStrict: true) != nil {
            headerOffset = offset + markBytes
            mainHeader = HeaderBlock()
            place = .header
            headerLine(text)
        } else if text.starts(with: Array("From ".utf8)) || text.starts(with: Array(">From ".utf8)) {
            defects.insert(.mboxFromLine)
        } else {
            refuse("the first line is no header field", .unparseable)
        }
    }

    private mutating func headerLine(_ text: UnsafeRawBufferPointer) {
        if text.count == 0 || (text.count == 1 && text[0] == .cr) { return endHeader() }
        if beginsMultipart(text) {
            if separator?.candidate == nil { separator?.candidate = offset }
            endHeader()
            _ = isBoundary(text)
            return
        }
        if separator?.isOver(with: text, at: offset) ?? false { return endHeader() }
        headerBytes += text.count + 1
        totalHeaderBytes += text.count + 1
        if isMainHeader {
            mainHeader?.append(text)
        }
        if !ASCII.isBlank(text[0]) {
            header.take(field)
            field = FieldScan(line: text)
            if field.isField {
                fields += 1
                totalFields += 1
            } else if !isMainHeader {
                // The body of a part without a header.
                headerBytes -= text.count + 1
                totalHeaderBytes -= text.count + 1
            }
        } else {
            field.append(text)
        }
        if fields > limits.maxHeaderFields { refuse("more than \(limits.maxHeaderFields) header fields") }
        if headerBytes > limits.maxHeaderBytes { refuse("a header of more than \(limits.maxHeaderBytes) bytes") }
        if field.count > limits.maxFieldBytes, field.isField {
            refuse("a header field of more than \(limits.maxFieldBytes) bytes")
        }
        if field.isAddress, field.colons > limits.maxAddressColons {
            refuse("more than \(limits.maxAddressColons) groups in an address field")
        }
        if totalFields > limits.maxHeaderFields * Self.headersPerMessage
            || totalHeaderBytes > limits.maxHeaderBytes * Self.headersPerMessage
        {
            refuse("too many header fields in all parts together")
        }
    }

    /// Whether a header goes over into its first part without an empty line: the boundary that it declares.
    private func beginsMultipart(_ text: UnsafeRawBufferPointer) -> Bool {
        guard separator != nil, text.count > 2, text[0] == .hyphen, text[1] == .hyphen else { return false }
        var found = header
        found.take(field)
        return found.boundaries.contains(Boundary.key(UnsafeRawBufferPointer(rebasing: text.dropFirst(2))))
    }

    private mutating func endHeader() {
        if let offset = separator?.candidate { missingSeparators.append(offset) }
        separator = nil
        header.take(field)
        let found = header
        field = FieldScan()
        header = HeaderFindings()
        (fields, headerBytes, isMainHeader) = (0, 0, false)
        place = .body
        if found.isDigest { hasDigest = true }
        if found.longestBoundary > limits.maxBoundaryBytes {
            refuse("a boundary of more than \(limits.maxBoundaryBytes) bytes")
        }
        if found.hasOddBoundary { isAnyDashBoundary = true }
        if !found.boundaries.isEmpty || found.hasOddBoundary {
            containers += 1
            depth += 1
            openBoundaries.append(contentsOf: found.boundaries)
            declared.formUnion(found.boundaries)
        }
        if found.isMessage || (hasDigest && !found.hasContentType) {
            messages += 1
            depth += 1
            openBoundaries.append(Self.messageLevel)
            place = .header
        }
        check()
    }

    private mutating func check() {
        let nesting = isAnyDashBoundary ? depth : openBoundaries.count
        if nesting > limits.maxDepth { refuse("nested deeper than \(limits.maxDepth)") }
        if boundaryLines - max(0, containers - 1) > limits.maxParts || containers > limits.maxParts
            || messages > limits.maxParts
        {
            refuse("more than \(limits.maxParts) parts")
        }
    }

    /// Whether the line is a boundary; if so, what follows it is a header, or text after the last part.
    private mutating func isBoundary(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count >= 2, text[0] == .hyphen, text[1] == .hyphen, !declared.isEmpty || isAnyDashBoundary,
            text.count <= limits.maxBoundaryBytes + 64
        else { return false }
        let content = UnsafeRawBufferPointer(rebasing: text.dropFirst(2))
        let key = Boundary.key(content)
        if declared.contains(key) {
            let level = openBoundaries.lastIndex(of: key)
            if let level { openBoundaries.removeLast(openBoundaries.count - level - 1) }
            beginPart()
            // Only where it is sure that a header begins: an empty line inside a body would change it.
            if level != nil, !isAnyDashBoundary, !hasDigest { separator = SeparatorSearch(isPart: true) }
        } else if let finalKey = Boundary.withoutFinalMark(content).map(Boundary.key), declared.contains(finalKey) {
            let level = openBoundaries.lastIndex(of: finalKey)
            if let level { openBoundaries.removeLast(openBoundaries.count - level) }
            if place == .header { endHeader() }
            place = .body
        } else if isAnyDashBoundary {
            beginPart()
        } else {
            return false
        }
        return true
    }

    private mutating func beginPart() {
        if place == .header { endHeader() }
        boundaryLines += 1
        place = .header
        check()
    }
}
