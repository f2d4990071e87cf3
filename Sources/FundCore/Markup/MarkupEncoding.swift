/// Decodes the bytes of a body. UTF-8 and UTF-16 are what every XML reader must support (XML 1.0 §4.3.3).
package enum MarkupEncoding {
    static func scalars(of bytes: [UInt8]) throws -> [Unicode.Scalar] {
        let text: String?
        let declared: Set<String>
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xFE, 0xFF), (0xFF, 0xFE), (0, 0x3C), (0x3C, 0):
            text = utf16(bytes)
            declared = ["utf-16", "utf-16le", "utf-16be"]
        default:
            text = String(
                validating: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...], as: UTF8.self)
            declared = ["utf-8", "us-ascii"]
        }
        guard let text else { throw MarkupError(reason: "the body is neither UTF-8 nor UTF-16") }
        let scalars = withoutCarriageReturns(text)
        guard scalars.allSatisfy(isCharacter) else { throw MarkupError(reason: "a character is not allowed in XML") }
        if let name = declaredName(in: scalars), !declared.contains(name) {
            throw MarkupError(reason: "the declared encoding is not the one used, or is not accepted")
        }
        return scalars
    }

    /// Whether a character may stand in a document (XML 1.0 §2.2).
    package static func isCharacter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    private static func utf16(_ bytes: [UInt8]) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let isLittle = bytes[0] == 0xFF || bytes[0] == 0x3C
        var units = stride(from: 0, to: bytes.count, by: 2).map { index in
            isLittle
                ? UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
                : UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1])
        }
        if units.first == 0xFEFF { units.removeFirst() }
        return String(validating: units, as: UTF16.self)
    }

    /// XML 1.0 §2.11.
    private static func withoutCarriageReturns(_ text: String) -> [Unicode.Scalar] {
        var scalars: [Unicode.Scalar] = []
        scalars.reserveCapacity(text.utf8.count)
        var afterReturn = false
        for scalar in text.unicodeScalars {
            if !(afterReturn && scalar == "\n") { scalars.append(scalar == "\r" ? "\n" : scalar) }
            afterReturn = scalar == "\r"
        }
        return scalars
    }

    /// The declared encoding, in lower case.
    private static func declaredName(in scalars: [Unicode.Scalar]) -> String? {
        guard scalars.starts(with: "<?xml".unicodeScalars), let end = scalars.dropFirst(5).firstIndex(of: "?") else {
            return nil
        }
        var declaration = String.UnicodeScalarView()
        declaration.append(contentsOf: scalars[..<end])
        guard let encoding = String(declaration).firstRange(of: "encoding") else { return nil }
        let value = String(declaration)[encoding.upperBound...].drop { $0 == " " || $0 == "=" || $0 == "\t" }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return value.dropFirst().prefix { $0 != quote }.lowercased()
    }
}
