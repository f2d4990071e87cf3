/// Percent-encoding (RFC 3986 §2.1): in paths, queries and forms, and in parameters of header fields.
package enum PercentCoding {
    /// Decoded once, so that `%2541` is `%41`. Nil where a percent sign is not followed by two hexadecimal digits.
    @inlinable
    package static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        let text = Array(text)
        guard text.contains(.percent) else { return text }
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == .percent else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(ASCII.hexValue), let low = iterator.next().flatMap(ASCII.hexValue)
            else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// Decodes as `decoded` does, but a percent sign that is not followed by two hexadecimal digits stands for itself.
    package static func decodedLeniently(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (bytes, index): ([UInt8], Int) = ([], text.startIndex)
        while index < text.endIndex {
            if text[index] == .percent, index + 2 < text.endIndex, let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index])
                index += 1
            }
        }
        return bytes
    }

    /// Encodes the bytes for which `isKept` is false, with digits in capitals as RFC 3986 §2.1 asks.
    @inlinable
    package static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        guard !text.utf8.allSatisfy(isKept) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isKept(byte) {
                bytes.append(byte)
            } else {
                bytes += [.percent, capital(byte >> 4), capital(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The fields of a query or a form, as `a=b&c=d`.
    package static func joined(
        _ fields: [(name: String, value: String)], keeping isKept: (UInt8) -> Bool = isUnreserved
    ) -> String {
        fields.map { "\(encoded($0.name, keeping: isKept))=\(encoded($0.value, keeping: isKept))" }
            .joined(separator: "&")
    }

    @usableFromInline
    static func capital(_ value: UInt8) -> UInt8 { value < 10 ? Hex.digit(value) : Hex.digit(value) & ~0x20 }

    /// RFC 3986 §2.3: these need no encoding anywhere.
    @inlinable
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): true
        default: ASCII.isAlphanumeric(byte)
        }
    }
}
