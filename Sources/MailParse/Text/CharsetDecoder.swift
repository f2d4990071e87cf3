import CGMime
import Glibc
import FundCore

/// Text and what was wrong with it.
struct DecodedText: Sendable, Hashable {
    var text: String
    var defects: Set<Defect>

    init(_ text: String, _ defects: Set<Defect> = []) {
        self.text = text
        self.defects = defects
    }
}

/// Turns bytes in a charset of the allow-list into text. Owns iconv descriptors, so it is made once for each child and
/// used by one thread. The result is always valid Unicode: bytes that do not fit become U+FFFD.
final class CharsetDecoder {
    private var descriptors: [String: iconv_t] = [:]
    /// Two-byte codes of frequent characters, by charset, for guesses; filled when the first guess is made.
    var frequentCodes: [Charset: Set<UInt16>] = [:]

    deinit {
        for descriptor in descriptors.values { _ = iconv_close(descriptor) }
    }

    /// `charset` as declared (any case, any alias), nil when none was. A byte order mark counts more (WHATWG Encoding
    /// §6). Line ends and controls stay as they came.
    func decode(_ bytes: [UInt8], charset: String?) -> DecodedText {
        if let marked = marked(bytes) { return marked }
        guard let charset, !charset.isEmpty else { return decode(bytes, as: .ascii) }
        guard let known = Charset(name: charset.utf8) else {
            let guessed = decode(bytes, as: guess(bytes, declared: nil))
            return DecodedText(guessed.text, guessed.defects.union([.unknownCharset]))
        }
        return decode(bytes, as: known)
    }

    /// The text of an HTML part. What it says of its charset itself counts where the mail says nothing that is known
    /// (RFC 6657 §3), or `us-ascii` of bytes that are none.
    func decodeHTML(_ bytes: [UInt8], charset: String?) -> DecodedText {
        if let marked = marked(bytes) { return marked }
        let declared = charset.flatMap { Charset(name: $0.utf8) } ?? .ascii
        guard declared == .ascii, let named = HTMLCharset.declared(in: bytes) else {
            return decode(bytes, charset: charset)
        }
        // Servers turn a text into UTF-8 and leave its `meta` as it was.
        if !Self.isASCII(bytes), let text = String(validating: bytes, as: UTF8.self) { return DecodedText(text) }
        // These two names are often wrong, and the bytes tell the charset.
        return named == .ascii || named == .utf8 ? decode(bytes, as: .ascii) : decode(bytes, as: named)
    }

    /// The text behind a byte order mark; nil without one, or where the bytes are not what it says.
    private func marked(_ bytes: [UInt8]) -> DecodedText? {
        guard bytes.count >= 2, bytes[0] >= 0xEF else { return nil }
        let charset: Charset
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            charset = .utf8
        } else if bytes.starts(with: [0xFF, 0xFE, 0, 0]) {
            charset = .iconv("UTF-32LE", asciiSafe: false)
        } else if bytes.starts(with: [0xFF, 0xFE]) {
            charset = .iconv("UTF-16LE", asciiSafe: false)
        } else if bytes.starts(with: [0xFE, 0xFF]) {
            charset = .iconv("UTF-16BE", asciiSafe: false)
        } else {
            return nil
        }
        let decoded = decode(bytes, as: charset)
        return decoded.defects.isEmpty ? decoded : nil
    }

    func decode(_ bytes: [UInt8], as charset: Charset) -> DecodedText {
        if charset.ignoresEscapes, let told = EscapedCharset.told(by: bytes) {
            let decoded = decode(bytes, as: told)
            return DecodedText(decoded.text, decoded.defects.union([.invalidCharsetData]))
        }
        switch charset {
        case .utf8: return utf8(bytes)
        case .ascii:
            if Self.isASCII(bytes) { return DecodedText(String(decoding: bytes, as: UTF8.self)) }
            let guessed = guess(bytes, declared: nil)
            let decoded = decode(bytes, as: guessed == .ascii ? .windows1252 : guessed)
            return DecodedText(decoded.text, decoded.defects.union([.invalidCharsetData]))
        case .windows1252:
            return Self.isASCII(bytes) ? DecodedText(String(decoding: bytes, as: UTF8.self)) : windows1252(bytes)
        case .iso2022JP: return convert(JapaneseEscapes.eucJP(bytes), from: "EUC-JP-MS")
        case .hz: return convert(JapaneseEscapes.gbFromHZ(bytes), from: "GB18030")
        case .iconv(let name, let isASCIISafe):
            if isASCIISafe, Self.isASCII(bytes) { return DecodedText(String(decoding: bytes, as: UTF8.self)) }
            if name == Big5.converter { return big5(bytes) }
            if name == "UTF-16" || name == "UTF-32" { return convert(bytes, from: Self.byteOrder(of: bytes, in: name)) }
            return convert(bytes, from: name)
        }
    }

    static func isASCII(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { raw in
            var (offset, all) = (0, UInt64(0))
            while offset &+ 8 <= raw.count {
                all |= raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
            while offset < raw.count {
                all |= UInt64(raw[offset])
                offset &+= 1
            }
            return all & 0x8080_8080_8080_8080 == 0
        }
    }

    private func utf8(_ bytes: [UInt8]) -> DecodedText {
        let marked = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let content = marked ? Array(bytes.dropFirst(3)) : bytes
        if let valid = String(validating: content, as: UTF8.self) { return DecodedText(valid) }
        return DecodedText(String(decoding: content, as: UTF8.self), [.invalidCharsetData])
    }

    private func windows1252(_ bytes: [UInt8]) -> DecodedText {
        // 0x80–0x9F of windows-1252; 0 where nothing is assigned.
        let high: [UInt16] = [
            0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
            0x017D, 0, 0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
            0x0153, 0, 0x017E, 0x0178,
        ]
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count)
        var isInvalid = false
        for byte in bytes {
            guard (0x80...0x9F).contains(byte) else {
                units.append(UInt16(byte))
                continue
            }
            let unit = high[Int(byte) - 0x80]
            if unit == 0 { isInvalid = true }
            units.append(unit == 0 ? 0xFFFD : unit)
        }
        return DecodedText(String(decoding: units, as: UTF16.self), isInvalid ? [.invalidCharsetData] : [])
    }

    /// The byte order mark decides, else the place of zeros: RFC 2781 §4.3 wants big-endian, Windows sends the other.
    private static func byteOrder(of bytes: [UInt8], in name: String) -> String {
        if bytes.starts(with: [0xFF, 0xFE]) { return name + "LE" }
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return name + "BE" }
        let head = bytes.prefix(256)
        let even = head.indices.filter { $0 % 2 == 0 && head[$0] == 0 }.count
        let odd = head.indices.filter { $0 % 2 == 1 && head[$0] == 0 }.count
        return name + (odd > even ? "LE" : "BE")
    }

    /// Nil when this glibc lacks the converter (a stripped system).
    private func descriptor(_ name: String) -> iconv_t? {
        if let known = descriptors[name] { return known }
        guard let opened = iconv_open("UTF-8", name), opened != iconv_t(bitPattern: -1) else { return nil }
        descriptors[name] = opened
        return opened
    }

    private func convert(_ bytes: [UInt8], from name: String) -> DecodedText {
        guard let converter = descriptor(name) else {
            return DecodedText(windows1252(bytes).text, [.unknownCharset])
        }
        let (output, isInvalid) = Self.run(converter, bytes, in: name)
        var text = String(decoding: output, as: UTF8.self)
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        return DecodedText(text, isInvalid ? [.invalidCharsetData] : [])
    }

    private func big5(_ bytes: [UInt8]) -> DecodedText {
        var result = DecodedText("")
        Big5.split(bytes) { run in
            let decoded = convert(run, from: Big5.converter)
            result.text += decoded.text
            result.defects.formUnion(decoded.defects)
        } _: { scalar in
            result.text.unicodeScalars.append(scalar)
        }
        return result
    }

    /// Whether `bytes` are valid in the charset to their end.
    func isValid(_ bytes: [UInt8], in charset: Charset) -> Bool {
        guard case .iconv(let name, _) = charset, name != Big5.converter, let converter = descriptor(name) else {
            return decode(bytes, as: charset).defects.isEmpty
        }
        return !Self.run(converter, bytes, in: name).isInvalid
    }

    /// The bytes of `text` in a charset that iconv knows; what it cannot say is left out.
    func encode(_ text: String, as name: String) -> [UInt8] {
        guard let converter = iconv_open(name, "UTF-8"), converter != iconv_t(bitPattern: -1) else { return [] }
        defer { _ = iconv_close(converter) }
        return text.unicodeScalars.flatMap { scalar in
            let (bytes, isInvalid) = Self.run(converter, Array(String(scalar).utf8), in: "UTF-8", replacement: [])
            return isInvalid ? [] : bytes
        }
    }

    /// - Parameter charset: of the bytes, as iconv(3) names it.
    private static func run(
        _ converter: iconv_t, _ bytes: [UInt8], in charset: String, replacement: [UInt8] = [0xEF, 0xBF, 0xBD]
    ) -> (bytes: [UInt8], isInvalid: Bool) {
        _ = iconv(converter, nil, nil, nil, nil)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count * 2)
        var isInvalid = false
        let scratchBytes = 4096
        var input = bytes
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: scratchBytes) { scratch in
            input.withUnsafeMutableBytes { raw in
                guard let base = raw.bindMemory(to: CChar.self).baseAddress, let scratchBase = scratch.baseAddress
                else { return }
                var (next, left): (UnsafeMutablePointer<CChar>?, Int) = (base, raw.count)
                while true {
                    var (target, room): (UnsafeMutablePointer<CChar>?, Int) = (scratchBase, scratchBytes)
                    // With nothing left the call writes out what a stateful charset still holds.
                    let isFlushing = left == 0
                    let status =
                        isFlushing
                        ? iconv(converter, nil, nil, &target, &room) : iconv(converter, &next, &left, &target, &room)
                    let code = errno
                    output.append(contentsOf: UnsafeRawBufferPointer(start: scratchBase, count: scratchBytes - room))
                    if status != -1 {
                        if isFlushing { break }
                        continue
                    }
                    if code == E2BIG, room < scratchBytes { continue }
                    isInvalid = true
                    output.append(contentsOf: replacement)
                    // EILSEQ: go on behind the code. EINVAL: the text ends inside a character.
                    guard code == EILSEQ, left > 0, let at = next else { break }
                    let length = DoubleByte.length(of: UnsafeRawBufferPointer(start: at, count: left), in: charset)
                    next = at + length
                    left -= length
                }
            }
        }
        return (output, isInvalid)
    }
}
