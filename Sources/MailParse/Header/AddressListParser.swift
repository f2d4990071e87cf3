import FundCore

/// Address lists (RFC 5322 §3.4, §4.4), in one pass. Only the addr-spec is identity: copied as sent, never decoded.
enum AddressListParser {
    static func parse(
        _ value: [UInt8], charsets: CharsetDecoder, messageCharset: String? = nil
    ) -> (field: AddressField, defects: Set<Defect>) {
        var scan = AddressScan(value)
        scan.run()
        var defects = scan.defects
        func display(_ bytes: [UInt8]) -> String? {
            let trimmed = ASCII.trimmed(bytes[...])
            guard !trimmed.isEmpty else { return nil }
            let decoded = EncodedText.unstructured(Array(trimmed), charsets: charsets, messageCharset: messageCharset)
            defects.formUnion(decoded.defects)
            return decoded.text.isEmpty ? nil : decoded.text
        }
        let mailboxes = scan.mailboxes.map { found in
            NamedAddress(displayName: display(found.phrase), address: String(decoding: found.address, as: UTF8.self))
        }
        let text = display(value) ?? ""
        if scan.isMalformed { defects.insert(.malformedAddress) }
        let field = AddressField(
            addresses: mailboxes, hasGroup: scan.hasGroup, isMalformed: scan.isMalformed, text: text)
        return (field, defects)
    }
}

private struct AddressScan {
    struct Found {
        var phrase: [UInt8]
        var address: [UInt8]
    }

    private let bytes: [UInt8]
    private var index = 0
    private(set) var mailboxes: [Found] = []
    private(set) var hasGroup = false
    private(set) var isMalformed = false
    private(set) var defects: Set<Defect> = []

    // The item that is being read.
    private var phrase: [UInt8] = []
    /// Runs of text without white space inside, as an addr-spec has it.
    private var runs: [[UInt8]] = []
    private var ats: [Int] = []
    private var angles: [[UInt8]] = []
    private var comment: [UInt8] = []
    private var endsWord = true
    /// Items without an address before a comma: `Smith` of `Smith, John <j@x>`.
    private var prefix: [UInt8] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func run() {
        if bytes.contains(.nul) { fail(.nulInHeader) }
        if bytes.contains(.cr) || bytes.contains(.lf) { fail(.bareCRInHeader) }
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case .quote:
                let (raw, content) = quoted()
                phrase += content
                appendToRun(raw)
            case .openParenthesis:
                comment = skipComment()
                endsWord = true
                phrase.append(.space)
            case .lessThan: angle()
            case .greaterThan: isMalformed = true
            case .comma: finishItem(isEnd: false)
            case .colon:
                hasGroup = true
                if !ats.allSatisfy({ $0 == 0 }) || !angles.isEmpty { isMalformed = true }
                prefix = []
                clear()
            case .semicolon: finishItem(isEnd: true)
            case .equals where index < bytes.count && bytes[index] == .questionMark: encodedWord()
            case .at:
                phrase.append(byte)
                endsWord = false
                if runs.isEmpty { startRun() }
                runs[runs.count - 1].append(byte)
                ats[ats.count - 1] += 1
            case _ where ASCII.isSpace(byte):
                phrase.append(.space)
                endsWord = true
            default:
                phrase.append(byte)
                appendToRun([byte])
            }
        }
        finishItem(isEnd: true)
    }

    private mutating func fail(_ defect: Defect) {
        isMalformed = true
        defects.insert(defect)
    }

    private mutating func startRun() {
        runs.append([])
        ats.append(0)
    }

    /// White space around `.` and `@` belongs to the address (RFC 5322 §4.4), other white space ends it.
    private mutating func appendToRun(_ piece: [UInt8]) {
        let joins = piece.first == .dot || runs.last?.last == .dot || runs.last?.last == .at
        if runs.isEmpty || (endsWord && !joins) { startRun() }
        runs[runs.count - 1] += piece
        endsWord = false
    }

    /// From after the opening quote: the string as sent with its quotes, and its content.
    private mutating func quoted() -> (raw: [UInt8], content: [UInt8]) {
        var (raw, content): ([UInt8], [UInt8]) = ([.quote], [])
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            raw.append(byte)
            if byte == .quote { return (raw, content) }
            if byte == .backslash, index < bytes.count {
                raw.append(bytes[index])
                content.append(bytes[index])
                index += 1
            } else {
                content.append(byte)
            }
        }
        isMalformed = true
        return (raw, content)
    }

    /// From after the opening parenthesis: what stands inside; nesting is counted, not entered.
    private mutating func skipComment() -> [UInt8] {
        var (depth, content): (Int, [UInt8]) = (1, [])
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case .openParenthesis: depth += 1
            case .closeParenthesis: depth -= 1
            case .backslash where index < bytes.count:
                content.append(bytes[index])
                index += 1
                continue
            default: break
            }
            if depth == 0 { return content }
            content.append(byte)
        }
        isMalformed = true
        return content
    }

    /// From after `<` to `>`; a route (RFC 5322 §4.4 `obs-route`) is taken off.
    private mutating func angle() {
        var (content, routeEnd): ([UInt8], Int?) = ([], nil)
        var (isClosed, endsAtom) = (false, false)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == .greaterThan {
                isClosed = true
                break
            }
            switch byte {
            case .quote: content += quoted().raw
            case .openParenthesis: _ = skipComment()
            case .lessThan: isMalformed = true
            case .colon:
                // One route, and only domains in it: `<@a,eve@b:ann@x>` is no route to Ann.
                if routeEnd != nil || !Self.isRoute(content) { isMalformed = true }
                content.append(byte)
                routeEnd = content.first == .at ? content.count : nil
            case _ where ASCII.isSpace(byte): endsAtom = true
            default:
                // White space may stand around `.` and `@` (RFC 5322 §4.4), not inside a word.
                let joins = Self.separators.contains(byte) || content.last.map(Self.separators.contains) ?? true
                if endsAtom, !joins { isMalformed = true }
                endsAtom = false
                content.append(byte)
            }
        }
        if !isClosed { isMalformed = true }
        angles.append(Array(content.dropFirst(routeEnd ?? 0)))
        endsWord = true
    }

    /// Between the words of a route or an address.
    private static let separators: [UInt8] = [.comma, .dot, .colon, .at]

    /// `@domain *("," @domain)`, empty elements allowed (RFC 5322 §4.4 `obs-domain-list`).
    private static func isRoute(_ text: [UInt8]) -> Bool {
        text.first == .at
            && text.split(separator: .comma).allSatisfy { $0.first == .at && !$0.dropFirst().contains(.at) }
    }

    /// A whole encoded word counts as one atom, so that a comma inside it does not cut the item. One that holds an
    /// address and a delimiter is read differently by different programs.
    private mutating func encodedWord() {
        let start = index - 1
        var (end, marks) = (index + 1, 0)
        while end < bytes.count, end - start < 100, marks < 2, !ASCII.isSpace(bytes[end]) {
            if bytes[end] == .questionMark { marks += 1 }
            end += 1
        }
        // RFC 2047 §2 allows 75 characters; the limit keeps hostile fields from costing their length squared.
        while end + 1 < bytes.count, end - start < 1000, !ASCII.isSpace(bytes[end]),
            !(bytes[end] == .questionMark && bytes[end + 1] == .equals)
        { end += 1 }
        guard marks == 2, end + 1 < bytes.count, bytes[end] == .questionMark, bytes[end + 1] == .equals else {
            phrase.append(.equals)
            appendToRun([.equals])
            return
        }
        let word = Array(bytes[start..<(end + 2)])
        let hasDelimiter = word.contains(where: Self.delimiters.contains)
        if word.contains(.lessThan) || word.contains(.greaterThan) || (word.contains(.at) && hasDelimiter) {
            isMalformed = true
        }
        phrase += word
        // An "@" inside is no address: only the display name may be decoded.
        if word.contains(.at) { phrase.append(.space) } else { appendToRun(word) }
        index = end + 2
    }

    private static let delimiters: [UInt8] = [.comma, .colon, .semicolon, .quote, .openParenthesis]

    private mutating func finishItem(isEnd: Bool) {
        defer { clear() }
        let addresses = runs.indices.filter { ats[$0] > 0 }
        if !angles.isEmpty {
            finishAngles(unquoted: addresses.map { runs[$0] })
            prefix = []
        } else if !addresses.isEmpty {
            if !prefix.isEmpty || runs.count > 1 || ats.contains(where: { $0 > 1 }) { isMalformed = true }
            for address in addresses { mailboxes.append(Found(phrase: comment, address: runs[address])) }
            prefix = []
        } else if phrase.contains(where: { !ASCII.isSpace($0) }) {
            if isEnd || phrase.contains(.at) {
                isMalformed = true
                prefix = []
            } else {
                prefix += phrase + [.comma]
            }
        }
        if isEnd, !prefix.isEmpty {
            isMalformed = true
            prefix = []
        }
    }

    private mutating func finishAngles(unquoted: [[UInt8]]) {
        if angles.count > 1 { isMalformed = true }
        let outside = Set(unquoted.map { ASCII.lowercased($0) })
        for (number, angle) in angles.enumerated() {
            guard !angle.isEmpty else {
                isMalformed = true
                continue
            }
            if !angle.contains(.at) || angle.first == .at || angle.last == .at { isMalformed = true }
            // `ann@x <ann@x>` is daily; `ann@x <eve@y>` without quotes is read both ways.
            if !outside.isSubset(of: [ASCII.lowercased(angle)]) { isMalformed = true }
            if !prefix.isEmpty { defects.insert(.malformedAddress) }
            let name = number == 0 ? prefix + phrase : []
            let isNamed = name.contains { !ASCII.isSpace($0) }
            mailboxes.append(Found(phrase: isNamed ? name : comment, address: angle))
        }
    }

    private mutating func clear() {
        phrase.removeAll(keepingCapacity: true)
        runs.removeAll()
        ats.removeAll()
        angles.removeAll()
        comment = []
        endsWord = true
    }
}
