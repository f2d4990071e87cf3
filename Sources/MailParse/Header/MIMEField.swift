import FundCore

/// The value of `Content-Type` or `Content-Disposition` with its parameters (RFC 2045 §5.1, RFC 2183, RFC 2231). Of a
/// parameter that came in several forms the extended one counts, then the continued, then the plain, then the first.
struct MIMEField: Sendable, Hashable {
    /// `text/plain`, `attachment`: lower-case, comments taken off, "" when there is none.
    private(set) var value = ""
    /// Decoded, by lower-case name: valid text, otherwise hostile, but never with NUL.
    private(set) var parameters: [String: String] = [:]
    private(set) var defects: Set<Defect> = []

    init(_ bytes: [UInt8], charsets: CharsetDecoder) {
        var scan = ParameterScan(wholeDecoded(bytes, charsets))
        value = scan.value()
        var collected: [String: Parameter] = [:]
        while let (name, raw) = scan.next() {
            if raw.contains(.nul) { defects.insert(.nulInHeader) }
            Self.collect(name, raw, into: &collected, defects: &defects)
        }
        // A boundary is no text: `=?` in it means nothing, and GMime's reading of it counts.
        for (name, parameter) in collected where name != "boundary" {
            var candidates: [String] = []
            if let extended = parameter.extended {
                candidates.append(decodeExtended([(extended, true)], charsets))
            }
            let pieces = run(of: parameter.pieces)
            if !pieces.isEmpty { candidates.append(decodeExtended(pieces, charsets)) }
            if let plain = parameter.plain { candidates.append(decodePlain(plain, charsets)) }
            guard let chosen = candidates.first else { continue }
            if candidates.contains(where: { $0 != chosen }) { defects.insert(.conflictingParameter) }
            parameters[name] = chosen
        }
    }

    /// Decodes a field of encoded words. QUIRK: some programs encode the whole field, which RFC 2047 §5 forbids
    /// (fixture field-as-encoded-words).
    private mutating func wholeDecoded(_ bytes: [UInt8], _ charsets: CharsetDecoder) -> [UInt8] {
        guard bytes.starts(with: "=?".utf8) else { return bytes }
        let decoded = EncodedText.decode(bytes, charsets: charsets, messageCharset: nil)
        defects.formUnion(decoded.defects)
        defects.insert(.encodedWordInParameter)
        return Array(decoded.text.utf8)
    }

    private struct Parameter {
        var plain: [UInt8]?
        var extended: [UInt8]?
        var pieces: [Int: (bytes: [UInt8], isExtended: Bool)] = [:]
    }

    private static func collect(
        _ name: [UInt8], _ raw: [UInt8], into collected: inout [String: Parameter], defects: inout Set<Defect>
    ) {
        var parts = name.split(separator: .asterisk, omittingEmptySubsequences: false)
        let isExtended = parts.count > 1 && parts.last?.isEmpty == true
        if isExtended { parts.removeLast() }
        let number = parts.count > 1 ? ASCII.number(parts[parts.count - 1]) : nil
        if number != nil { parts.removeLast() }
        let key = String(decoding: Array(parts.joined(separator: [.asterisk])), as: UTF8.self)
        var parameter = collected[key] ?? Parameter()
        if let number {
            if parameter.pieces[number] != nil {
                defects.insert(.conflictingParameter)
            } else {
                parameter.pieces[number] = (raw, isExtended)
            }
        } else if isExtended {
            if parameter.extended == nil { parameter.extended = raw } else { defects.insert(.conflictingParameter) }
        } else {
            if parameter.plain == nil { parameter.plain = raw } else { defects.insert(.conflictingParameter) }
        }
        collected[key] = parameter
    }

    private mutating func run(of pieces: [Int: (bytes: [UInt8], isExtended: Bool)]) -> [([UInt8], Bool)] {
        var run: [([UInt8], Bool)] = []
        while let piece = pieces[run.count] { run.append((piece.bytes, piece.isExtended)) }
        if run.count != pieces.count { defects.insert(.parameterGap) }
        return run
    }

    /// RFC 2231 §4: `charset'language'percent-encoded`; only the first piece names the charset.
    private mutating func decodeExtended(_ pieces: [([UInt8], Bool)], _ charsets: CharsetDecoder) -> String {
        guard pieces.contains(where: { $0.1 }) else {
            return decodePlain(pieces.flatMap { $0.0 }, charsets)
        }
        var charset: String?
        var bytes: [UInt8] = []
        for (number, (raw, isExtended)) in pieces.enumerated() {
            var content = raw[...]
            if number == 0, isExtended, let first = raw.firstIndex(of: .apostrophe),
                let second = raw[(first + 1)...].firstIndex(of: .apostrophe)
            {
                charset = first == 0 ? nil : String(decoding: raw[..<first], as: UTF8.self)
                content = raw[(second + 1)...]
                // QUIRK: quotes that belong around the value stand in it (fixture extended-value-without-asterisk).
                if content.count >= 2, content.first == .quote, content.last == .quote {
                    content = content.dropFirst().dropLast()
                }
            }
            bytes += isExtended ? PercentCoding.decodedLeniently(content) : Array(content)
        }
        if let charset, Charset(name: charset.utf8) != nil {
            let decoded = charsets.decode(bytes, charset: charset)
            defects.formUnion(decoded.defects)
            return withoutNUL(decoded.text)
        }
        if charset != nil { defects.insert(.unknownCharset) }
        return withoutNUL(raw(bytes, charsets))
    }

    private mutating func decodePlain(_ bytes: [UInt8], _ charsets: CharsetDecoder) -> String {
        if let extended = Self.extended(bytes) { return decodeExtended([(extended, true)], charsets) }
        guard ASCII.firstIndex(of: [.equals, .questionMark], in: bytes) != nil else {
            return withoutNUL(raw(bytes, charsets))
        }
        let decoded = EncodedText.decode(bytes, charsets: charsets, messageCharset: nil)
        if !decoded.text.utf8.elementsEqual(bytes) { defects.insert(.encodedWordInParameter) }
        defects.formUnion(decoded.defects)
        return withoutNUL(decoded.text)
    }

    /// QUIRK: some programs write `filename=UTF-8''a%20b.pdf`, without the asterisk of RFC 2231 §4 (fixture
    /// extended-value-without-asterisk). Nil for a value that is no extended one, or could be meant as it stands.
    private static func extended(_ bytes: [UInt8]) -> [UInt8]? {
        guard let first = bytes.firstIndex(of: .apostrophe), first >= 3,
            let second = bytes[(first + 1)...].firstIndex(of: .apostrophe),
            bytes[(first + 1)..<second].allSatisfy({ ASCII.isAlphanumeric($0) || $0 == .hyphen }),
            Charset(name: bytes[..<first]) != nil
        else { return nil }
        // Names of charsets are words, too; only that of UTF-8 stands in front of no other text.
        let isUTF8 = ASCII.lowercased(bytes[..<first]) == "utf-8"
        return isUTF8
            || PercentCoding.decoded(bytes[(second + 1)...]).map { $0.count < bytes.count - second - 1 } == true
            ? bytes : nil
    }

    private mutating func raw(_ bytes: [UInt8], _ charsets: CharsetDecoder) -> String {
        if CharsetDecoder.isASCII(bytes), !bytes.contains(.escape) { return String(decoding: bytes, as: UTF8.self) }
        let charset = charsets.guess(bytes, declared: nil)
        if charset != .utf8, !CharsetDecoder.isASCII(bytes) { defects.insert(.raw8BitHeader) }
        return charsets.decode(bytes, as: charset).text
    }

    /// A NUL cuts nothing off: what follows it stays to be seen.
    private mutating func withoutNUL(_ text: String) -> String {
        guard text.utf8.contains(.nul) else { return text }
        defects.insert(.unsafeFileName)
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value != 0 }))
    }
}
