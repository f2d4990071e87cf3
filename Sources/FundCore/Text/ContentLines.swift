/// One content line of iCalendar (RFC 5545 §3.1) or vCard (RFC 6350 §3.3, and versions 2.1 and 3.0).
package struct ContentLine: Sendable {
    /// In upper case, without a group.
    package var name: String
    /// Names in upper case; a name may stand several times. What version 2.1 gives without a name is a `TYPE` or an
    /// `ENCODING`.
    package var parameters: [(name: String, value: String)] = []
    /// The value as it is written, unfolded.
    package var value: [UInt8] = []
    /// Number of the line of the text in which it begins, from 1.
    package var lineNumber = 0

    /// The first value of a parameter.
    package func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The values of `TYPE` in lower case.
    package var types: Set<String> {
        let values = parameters.filter { $0.name == "TYPE" }.map { ASCII.lowercased($0.value.utf8) }
        return Set(values.flatMap { $0.split(separator: ",").map(String.init) })
    }

    package var isQuotedPrintable: Bool {
        parameters.contains { $0.name == "ENCODING" && ASCII.lowercased($0.value.utf8) == "quoted-printable" }
    }

    /// Charset of a text in quoted-printable, as vCard 2.1 names it. Other texts are in the encoding of the file.
    private var charset: NamedCharset? {
        isQuotedPrintable ? parameter("CHARSET").flatMap { NamedCharset($0) } : nil
    }

    /// The component that begins here, in upper case.
    package var begins: String? { name == "BEGIN" ? component : nil }
    /// The component that ends here, in upper case.
    package var ends: String? { name == "END" ? component : nil }

    private var component: String {
        ASCII.lowercased(ASCII.trimmed(value[...]).prefix(32)).uppercased()
    }

    /// A picture, a sound or a key.
    package var isBinary: Bool {
        value.starts(with: "data:".utf8)
            || parameters.contains {
                $0.name == "ENCODING" && ["b", "base64"].contains(ASCII.lowercased($0.value.utf8))
            }
    }

    /// The value as a text, decoded.
    package var text: String { Self.text(value[...], isQuotedPrintable, charset) }

    /// The components of a structured value (RFC 6350 §3.4), decoded.
    package var components: [String] { parts(by: .semicolon) }

    /// The values of a list (RFC 6350 §3.4), decoded.
    package var list: [String] { parts(by: .comma) }

    private func parts(by delimiter: UInt8) -> [String] {
        var (parts, start, isEscaped): ([ArraySlice<UInt8>], Int, Bool) = ([], 0, false)
        for (index, byte) in value.enumerated() {
            if byte == delimiter, !isEscaped, parts.count < Self.maxComponents {
                parts.append(value[start..<index])
                start = index + 1
            }
            isEscaped = byte == .backslash && !isEscaped
        }
        parts.append(value[start...])
        let (isQuoted, charset) = (isQuotedPrintable, charset)
        return parts.map { Self.text($0, isQuoted, charset) }
    }

    private static let maxComponents = 32

    private static func text(_ bytes: ArraySlice<UInt8>, _ isQuoted: Bool, _ charset: NamedCharset?) -> String {
        guard isQuoted else { return String(decoding: unescaped(bytes), as: UTF8.self) }
        let unquoted = unquoted(bytes)
        // Backslashes are looked for afterwards: the second byte of a character may be one.
        return String(decoding: unescaped((charset?.decoded(unquoted) ?? unquoted)[...]), as: UTF8.self)
    }

    /// RFC 2045 §6.7; what is no `=` with two digits stays.
    private static func unquoted(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var (result, index): ([UInt8], Int) = ([], bytes.startIndex)
        result.reserveCapacity(bytes.count)
        while index < bytes.endIndex {
            if bytes[index] == .equals, index + 2 < bytes.endIndex, let high = ASCII.hexValue(bytes[index + 1]),
                let low = ASCII.hexValue(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// RFC 5545 §3.3.11: `\n`, `\,`, `\;` and `\\`; another backslash stays.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        EscapedBytes.unescaped(bytes, by: .backslash) { byte in
            switch byte {
            case UInt8(ascii: "n"), UInt8(ascii: "N"): .lf
            case .comma, .semicolon, .backslash, .colon: byte
            default: nil
            }
        }
    }
}

/// Bytes in which one of them says that the next one stands for another.
private enum EscapedBytes {
    /// - Parameters:
    ///   - mark: stays where what follows is no escape.
    ///   - meaning: of the byte behind a mark; nil for one that is no escape.
    static func unescaped(
        _ bytes: ArraySlice<UInt8>, by mark: UInt8, _ meaning: (UInt8) -> UInt8?
    ) -> [UInt8] {
        guard bytes.contains(mark) else { return Array(bytes) }
        var (result, index): ([UInt8], Int) = ([], bytes.startIndex)
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == mark, index < bytes.endIndex, let meant = meaning(bytes[index]) else {
                result.append(byte)
                continue
            }
            result.append(meant)
            index += 1
        }
        return result
    }
}

/// The content lines of a text, one after the other. Lines that are none are left out.
package struct ContentLines: Sequence, IteratorProtocol {
    /// Limit of a value, in bytes: longer ones, such as pictures, are cut.
    private static let maxValueBytes = 64 << 10
    private static let maxParameters = 32
    private static let maxWordBytes = 256
    /// Limit of lines of a name with its parameters.
    private static let maxHeadLines = 64
    private static let maxHeadBytes = 4096

    private let bytes: [UInt8]
    private var index = 0
    /// Lines of the text that were read.
    private var lineCount = 0

    /// - Parameter bytes: UTF-8 without byte order mark.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() -> ContentLine? {
        while index < bytes.count {
            let number = lineCount + 1
            var head = physicalLine()
            // The head itself may be folded.
            for _ in 0..<Self.maxHeadLines where head.count < Self.maxHeadBytes && isFolded {
                guard Self.colonOutsideQuotes(head) == nil else { break }
                head += continuation()
            }
            if var line = logicalLine(head) {
                line.lineNumber = number
                return line
            }
        }
        return nil
    }

    /// Up to the end of a line, which is left out.
    private mutating func physicalLine() -> ArraySlice<UInt8> {
        let end = bytes[index...].firstIndex(of: .lf) ?? bytes.count
        let line = bytes[index..<end]
        index = end + 1
        lineCount += 1
        return line.last == .cr ? line.dropLast() : line
    }

    /// The next line goes on with this one (RFC 5545 §3.1).
    private var isFolded: Bool { index < bytes.count && ASCII.isBlank(bytes[index]) }

    private mutating func continuation() -> ArraySlice<UInt8> { physicalLine().dropFirst() }

    private static func colonOutsideQuotes(_ line: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for index in line.indices {
            if line[index] == .quote { isQuoted.toggle() }
            if line[index] == .colon, !isQuoted { return index }
        }
        return nil
    }

    /// The colon between the name, with its parameters, and the value.
    /// - Parameter line: unfolded, as far as the name and the parameters go.
    private static func endOfHead(_ line: ArraySlice<UInt8>) -> Int? {
        if let colon = colonOutsideQuotes(line) { return colon }
        // A stray quotation mark takes no line away.
        let isQuoted = !line.count(where: { $0 == .quote }).isMultiple(of: 2)
        return isQuoted ? line.firstIndex(of: .colon) : nil
    }

    private mutating func logicalLine(_ first: ArraySlice<UInt8>) -> ContentLine? {
        guard let colon = Self.endOfHead(first), let line = Self.head(first[..<colon]) else {
            while isFolded { _ = continuation() }
            return nil
        }
        var result = line
        result.value = Array(first[(colon + 1)...].prefix(Self.maxValueBytes))
        func add(_ more: ArraySlice<UInt8>) {
            result.value += more.prefix(Swift.max(Self.maxValueBytes - result.value.count, 0))
        }
        let isQuoted = line.isQuotedPrintable
        while true {
            if isQuoted, result.value.last == .equals, index < bytes.count {
                // A soft line break (RFC 2045 §6.7), as vCard 2.1 has it: the next line need not be indented.
                result.value.removeLast()
                add(physicalLine())
            } else if isFolded {
                add(continuation())
            } else {
                return result
            }
        }
    }

    /// The name and the parameters, with which a line begins; nil for what is no name.
    private static func head(_ bytes: ArraySlice<UInt8>) -> ContentLine? {
        var words: [ArraySlice<UInt8>] = []
        var (start, isQuoted) = (bytes.startIndex, false)
        for index in bytes.indices where words.count <= maxParameters {
            if bytes[index] == .quote { isQuoted.toggle() }
            guard bytes[index] == .semicolon, !isQuoted else { continue }
            words.append(bytes[start..<index])
            start = index + 1
        }
        words.append(bytes[start...])
        var name = ASCII.trimmed(words[0])
        if let dot = name.lastIndex(of: .dot) { name = name[(dot + 1)...] }
        guard (1...64).contains(name.count), name.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == .hyphen }) else {
            return nil
        }
        var line = ContentLine(name: uppercased(name))
        line.parameters = words.dropFirst().map(parameter)
        return line
    }

    private static func parameter(_ word: ArraySlice<UInt8>) -> (name: String, value: String) {
        let word = ASCII.trimmed(word.prefix(maxWordBytes))
        guard let equals = word.firstIndex(of: .equals) else {
            // Version 2.1.
            let value = ASCII.lowercased(word)
            let isEncoding = ["quoted-printable", "base64", "8bit", "7bit"].contains(value)
            return (isEncoding ? "ENCODING" : "TYPE", value)
        }
        let value = Array(word[(equals + 1)...].filter { $0 != .quote })
        return (uppercased(word[..<equals]), String(decoding: unescaped(value), as: UTF8.self))
    }

    /// RFC 6868 §3.1, with a space for a line end: a parameter is one line. Another circumflex stays.
    private static func unescaped(_ value: [UInt8]) -> [UInt8] {
        let circumflex = UInt8(ascii: "^")
        return EscapedBytes.unescaped(value[...], by: circumflex) { byte in
            switch byte {
            case UInt8(ascii: "n"): .space
            case UInt8(ascii: "'"): .quote
            case circumflex: circumflex
            default: nil
            }
        }
    }

    private static func uppercased(_ bytes: ArraySlice<UInt8>) -> String { ASCII.lowercased(bytes).uppercased() }
}

extension ContentLines {
    /// The lines as a text to read and to find, unfolded and decoded, without what is no text.
    package static func text(of bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for line in ContentLines(bytes) where !line.isBinary {
            text += line.name.utf8
            text += ": ".utf8
            text += line.components.filter { !$0.isEmpty }.joined(separator: "; ").utf8
            text.append(.lf)
        }
        return text
    }
}
