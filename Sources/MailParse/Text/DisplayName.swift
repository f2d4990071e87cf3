import FundCore

/// A name under which a file can be shown and offered on any system, made of the name that came by mail.
enum DisplayName {
    /// Room for a counter and for encodings, within the 255 bytes of file systems.
    static let maxBytes = 200
    private static let maxExtensionBytes = 20

    /// A name that looks like a path (`../../etc/passwd`, `C:\dir\x.pdf`) keeps its last component; a separator inside
    /// any other name (`Q1/Q2.pdf`) becomes `_`. Leading dots go, so that nothing is hidden.
    /// - Parameter fallbackStem: what a nameless part is called, without extension: `part-2.1`.
    static func make(
        sentName: String?, contentType: String, fallbackStem: String
    ) -> (name: String, defects: Set<Defect>) {
        let fallback = fallbackStem + "." + fileExtension(of: contentType)
        guard let sentName, sentName.utf8.contains(where: { $0 > .space }) else { return (fallback, []) }
        if isPlain(sentName) { return (sentName, []) }
        let sent = collapsed(sentName)
        var name = clean(lastComponent(sent.unicodeScalars))
        name = shortened(trimmed(name.nfc))
        if WindowsName.isDevice(name) { name = "_" + name }
        if !name.hasVisibleScalar { return (fallback, [.unsafeFileName]) }
        let isSame = name.utf8.elementsEqual(sent.utf8) || name.utf8.elementsEqual(sent.nfc.utf8)
        return (name, isSame ? [] : [.unsafeFileName])
    }

    /// Nothing of all that can apply to it: letters, digits and single marks in ASCII, as most names are.
    private static func isPlain(_ name: String) -> Bool {
        let bytes = name.utf8
        var previous = UInt8(ascii: ".")
        for byte in bytes {
            switch byte {
            case _ where ASCII.isAlphanumeric(byte): break
            case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), .space: if byte == previous { return false }
            default: return false
            }
            previous = byte
        }
        return bytes.count <= maxBytes && previous != .dot && previous != .space && bytes.first != .space
            && !WindowsName.isDevice(name)
    }

    /// Folding left tabs and line ends; white space runs are one space, none at the ends.
    private static func collapsed(_ name: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            let isSpace = ["\t", "\n", "\r", " ", "\u{2028}", "\u{2029}"].contains(scalar)
            if !isSpace { result.append(scalar) } else if let last = result.last, last != " " { result.append(" ") }
        }
        if result.last == " " { result.removeLast() }
        return String(result)
    }

    private static func lastComponent(_ name: String.UnicodeScalarView) -> [Unicode.Scalar] {
        let scalars = Array(name)
        func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }
        let components = scalars.split(whereSeparator: isSeparator)
        let isDrive = scalars.count > 2 && scalars[1] == ":" && isSeparator(scalars[2])
        let isPath =
            scalars.first.map(isSeparator) == true || isDrive || components.contains { $0.allSatisfy { $0 == "." } }
        guard isPath, components.count > 1 || scalars.first.map(isSeparator) == true, let last = components.last else {
            return scalars
        }
        return Array(last)
    }

    private static func clean(_ scalars: [Unicode.Scalar]) -> String {
        var result = String.UnicodeScalarView()
        for scalar in scalars {
            switch scalar.value {
            case 0..<32, 127...159: continue
            case 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x061C, 0x180E, 0xFEFF, 0xFFF9...0xFFFB: continue
            // Noncharacters: XML, and with it WebDAV, cannot carry them.
            case _ where scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value): continue
            case _ where scalar.value > 127 && scalar.properties.isDefaultIgnorableCodePoint: continue
            default: result.append("/\\:*?\"<>|".unicodeScalars.contains(scalar) ? "_" : scalar)
            }
        }
        return String(result)
    }

    /// Dots and spaces at the ends: hidden on one system, dropped on another.
    private static func trimmed(_ name: String) -> String {
        var scalars = name.unicodeScalars[...]
        while let first = scalars.first, first == "." || first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last == "." || last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }

    private static func shortened(_ name: String) -> String {
        guard name.utf8.count > maxBytes else { return name }
        let suffix = FileNameParts(name, maxSuffixBytes: maxExtensionBytes).suffix
        var stem = String.UnicodeScalarView()
        var bytes = suffix.utf8.count
        for scalar in name.unicodeScalars {
            bytes += UTF8.width(scalar)
            if bytes > maxBytes { break }
            stem.append(scalar)
        }
        return trimmed(trimmed(String(stem)) + suffix)
    }

    private static func fileExtension(of contentType: String) -> String {
        if let known = extensions[contentType] { return known }
        if contentType.hasPrefix("text/") { return "txt" }
        return "bin"
    }

    /// The type of a file that came without one, by its name.
    static func contentType(of name: String?) -> String {
        let suffix = name.map { FileNameParts($0).fileExtension }
        let types = extensions.filter { $0.value == suffix }.keys
        return types.min { ($0.utf8.count, $0) < ($1.utf8.count, $1) } ?? "application/octet-stream"
    }

    private static let extensions: [String: String] = [
        "text/html": "html", "text/csv": "csv", "text/calendar": "ics", "text/xml": "xml", "text/vcard": "vcf",
        "text/rtf": "rtf", "application/rtf": "rtf", "application/pdf": "pdf", "application/json": "json",
        "application/xml": "xml", "application/zip": "zip", "application/x-zip-compressed": "zip",
        "application/gzip": "gz", "application/msword": "doc", "application/vnd.ms-excel": "xls",
        "application/vnd.ms-powerpoint": "ppt",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
        "application/ms-tnef": "dat", "application/pkcs7-signature": "p7s", "application/x-pkcs7-signature": "p7s",
        "application/pkcs7-mime": "p7m", "application/x-pkcs7-mime": "p7m", "application/pgp-signature": "asc",
        "application/pgp-encrypted": "asc", "message/rfc822": "eml", "message/global": "eml",
        "message/delivery-status": "txt", "message/disposition-notification": "txt", "image/jpeg": "jpg",
        "image/jpg": "jpg", "image/png": "png", "image/gif": "gif", "image/tiff": "tif", "image/bmp": "bmp",
        "image/webp": "webp", "image/heic": "heic", "image/svg+xml": "svg", "audio/mpeg": "mp3", "audio/wav": "wav",
        "video/mp4": "mp4", "video/quicktime": "mov",
    ]
}
