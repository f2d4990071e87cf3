internal import FundCore
package import HTTPTypes

/// The media type of an upload.
package enum MediaTypes {
    package static let unknown = "application/octet-stream"
    /// A type of at most 127 bytes, and parameters.
    private static let maxBytes = 255

    /// `Content-Type` with its parameters, if it is a media type (RFC 9110 §8.3.1).
    package static func declared(_ fields: HTTPFields) -> String {
        guard let value = fields[.contentType], value.utf8.count <= maxBytes, fields[values: .contentType].count == 1
        else { return unknown }
        let kind = value.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
        guard isType(Substring(kind.lowercased())), areParameters(value.utf8[kind.endIndex...]) else { return unknown }
        return value
    }

    /// `*( OWS ";" OWS [ token "=" ( token / quoted-string ) ] )`, RFC 9110 §5.6.6.
    private static func areParameters(_ bytes: Substring.UTF8View) -> Bool {
        var rest = bytes.drop(while: ASCII.isBlank)
        while !rest.isEmpty {
            guard rest.popFirst() == .semicolon else { return false }
            rest = rest.drop(while: ASCII.isBlank)
            let name = rest.prefix(while: isOfToken)
            rest = rest[name.endIndex...]
            if !name.isEmpty {
                guard rest.popFirst() == .equals, takeValue(&rest) else { return false }
            }
            rest = rest.drop(while: ASCII.isBlank)
        }
        return true
    }

    private static func takeValue(_ rest: inout Substring.UTF8View) -> Bool {
        guard rest.first == .quote else {
            let value = rest.prefix(while: isOfToken)
            rest = rest[value.endIndex...]
            return !value.isEmpty
        }
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == .quote { return true }
            if byte == .backslash { rest = rest.dropFirst() }
        }
        return false
    }

    /// `tchar`, RFC 9110 §5.6.2.
    private static func isOfToken(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    /// `Content-Type`, unless it is missing or generic; then the type of the name's extension.
    package static func type(_ fields: HTTPFields, name: String) -> String {
        let given = fields[.contentType]?.lowercased() ?? ""
        let kind = given.prefix { $0 != ";" && $0 != " " }
        // curl sends the second by default.
        if kind != unknown, kind != "application/x-www-form-urlencoded", isType(kind) { return String(kind) }
        return type(named: name)
    }

    /// The type of a file's extension; `unknown` for others.
    package static func type(named name: String) -> String {
        byExtension[FileNameParts(name).fileExtension] ?? unknown
    }

    /// RFC 9110 §8.3.1, RFC 6838 §4.2.
    private static func isType(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count <= 127
            && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isOfRestrictedName) }
    }

    private static func isOfRestrictedName(_ byte: UInt8) -> Bool {
        ASCII.isLowercase(byte) || ASCII.isDigit(byte) || "!#$&-^_.+".utf8.contains(byte)
    }

    private static let byExtension = [
        "7z": "application/x-7z-compressed", "avi": "video/x-msvideo", "bmp": "image/bmp", "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eml": "message/rfc822", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic",
        "htm": "text/html", "html": "text/html", "ics": "text/calendar", "jpeg": "image/jpeg", "jpg": "image/jpeg",
        "json": "application/json", "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "msg": "application/vnd.ms-outlook",
        "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "pdf": "application/pdf", "png": "image/png", "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "rtf": "application/rtf", "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff",
        "tiff": "image/tiff", "txt": "text/plain", "vcf": "text/vcard", "wav": "audio/wav", "webp": "image/webp",
        "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "zip": "application/zip",
    ]
}
