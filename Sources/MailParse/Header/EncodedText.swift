import FundCore

/// RFC 2047 decoding. Adjacent words of one charset are joined before they are decoded, because many programs cut a
/// character in two; words that cannot be read stand as they came.
enum EncodedText {
    /// The value of an unstructured field (RFC 5322 §3.6.5) or a phrase, one line, free of controls.
    static func unstructured(_ value: [UInt8], charsets: CharsetDecoder, messageCharset: String? = nil) -> DecodedText {
        let decoded = decode(value, charsets: charsets, messageCharset: messageCharset)
        return DecodedText(oneLine(decoded.text), decoded.defects)
    }

    /// Decodes with controls left in, for text that is cleaned later.
    static func decode(_ value: [UInt8], charsets: CharsetDecoder, messageCharset: String?) -> DecodedText {
        let isASCII = CharsetDecoder.isASCII(value)
        let start = ASCII.firstIndex(of: [.equals, .questionMark], in: value)
        if isASCII, start == nil, !value.contains(.escape) {
            return DecodedText(String(decoding: value, as: UTF8.self))
        }
        var run = Decoding(value: value, charsets: charsets)
        if !isASCII || value.contains(.escape) {
            run.rawCharset = charsets.guess(value, declared: messageCharset.flatMap { Charset(name: $0.utf8) })
            if !isASCII, run.rawCharset != .utf8 { run.defects.insert(.raw8BitHeader) }
        }
        run.walk(from: start ?? value.count)
        return DecodedText(run.text, run.defects)
    }

    /// C0 and C1 controls and line separators become spaces, NULs go.
    private static func oneLine(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < .space || $0 == .delete || $0 == 0xC2 || $0 == 0xE2 }) else {
            return text
        }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar.value != 0 {
            switch scalar.value {
            case 1..<32, 127...159, 0x2028, 0x2029: result.append(" ")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}

private struct Decoding {
    struct Word {
        var charset: Charset?
        var isBase64: Bool
        var payload: ArraySlice<UInt8>
        var end: Int
    }

    let value: [UInt8]
    let charsets: CharsetDecoder
    var rawCharset = Charset.ascii
    var text = ""
    var defects: Set<Defect> = []

    mutating func walk(from first: Int) {
        var (index, rawStart) = (first, 0)
        var run: [Word] = []
        while index < value.count {
            guard value[index] == .equals, index + 1 < value.count, value[index + 1] == .questionMark else {
                index += 1
                continue
            }
            guard let word = word(at: index) else {
                defects.insert(.undecodableEncodedWord)
                index += 2
                continue
            }
            let between = value[rawStart..<index]
            if run.isEmpty || !between.allSatisfy(ASCII.isSpace) {
                flush(&run)
                raw(between)
            }
            run.append(word)
            index = word.end
            rawStart = index
        }
        flush(&run)
        raw(value[rawStart...])
    }

    private mutating func raw(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.isEmpty else { return }
        text += charsets.decode(Array(bytes), as: rawCharset).text
    }

    private mutating func flush(_ run: inout [Word]) {
        var index = 0
        while index < run.count {
            let charset = run[index].charset
            var end = index
            while end < run.count, run[end].charset == charset { end += 1 }
            let bytes = joined(run[index..<end])
            if let charset {
                let decoded = charsets.decode(bytes, as: charset)
                text += decoded.text
                defects.formUnion(decoded.defects)
            } else {
                text += charsets.decode(bytes, as: charsets.guess(bytes, declared: nil)).text
                defects.insert(.unknownCharset)
            }
            index = end
        }
        run.removeAll(keepingCapacity: true)
    }

    private func joined(_ words: ArraySlice<Word>) -> [UInt8] {
        var bytes: [UInt8] = []
        var pending: [UInt8] = []
        func take(_ characters: [UInt8]) {
            var decoder = Base64Decoder()
            characters.withUnsafeBytes { decoder.decode($0, into: &bytes) }
            decoder.finish(into: &bytes)
        }
        for word in words {
            if word.isBase64 {
                // QUIRK: some programs cut the base64 itself: an unpadded rest goes on in the next word (RFC 2047 §5).
                let characters = pending + word.payload.filter { !ASCII.isSpace($0) }
                pending = []
                let isOpen = characters.last != .equals && characters.count % 4 != 0
                if isOpen { pending = characters } else { take(characters) }
            } else {
                take(pending)
                pending = []
                quotedPrintable(word.payload, into: &bytes)
            }
        }
        take(pending)
        return bytes
    }

    /// The Q encoding (RFC 2047 §4.2).
    private func quotedPrintable(_ payload: ArraySlice<UInt8>, into bytes: inout [UInt8]) {
        var index = payload.startIndex
        while index < payload.endIndex {
            let byte = payload[index]
            index += 1
            if byte == .underscore {
                bytes.append(.space)
            } else if byte == .equals, index + 1 < payload.endIndex, let high = ASCII.hexValue(payload[index]),
                let low = ASCII.hexValue(payload[index + 1])
            {
                bytes.append(high << 4 | low)
                index += 2
            } else {
                bytes.append(byte)
            }
        }
    }

    /// `=?charset*language?B|Q?text?=` at `start`; white space inside the text is allowed, as many programs write it.
    private func word(at start: Int) -> Word? {
        var index = start + 2
        let nameStart = index
        while index < value.count, value[index] != .questionMark, ASCII.isVisible(value[index]), index - nameStart <= 80
        {
            index += 1
        }
        guard index > nameStart, index + 2 < value.count, value[index] == .questionMark,
            value[index + 2] == .questionMark
        else { return nil }
        let name = value[nameStart..<index]
        let encoding = ASCII.lowercased(value[index + 1])
        let isBase64 = encoding == UInt8(ascii: "b")
        guard isBase64 || encoding == UInt8(ascii: "q") else { return nil }
        let textStart = index + 3
        index = textStart
        while index + 1 < value.count {
            if value[index] == .questionMark, value[index + 1] == .equals { break }
            if value[index] == .equals, value[index + 1] == .questionMark,
                !(index + 2 < value.count && value[index + 2] == .equals)
            {
                return nil
            }
            index += 1
        }
        guard index + 1 < value.count else { return nil }
        let payload = value[textStart..<index]
        if isBase64 {
            let isAlphabet = payload.allSatisfy {
                ASCII.isAlphanumeric($0) || $0 == .plus || $0 == .slash || $0 == .equals || ASCII.isSpace($0)
            }
            guard isAlphabet else { return nil }
        }
        return Word(charset: Charset(name: name), isBase64: isBase64, payload: payload, end: index + 2)
    }
}
