internal import HTTPTypes

/// What kind of content an upload is.
enum MediaTypes {
    static let unknown = "application/octet-stream"

    /// What the client says, unless that says nothing: then what the name says.
    static func type(_ fields: HTTPFields, name: String) -> String {
        let given = fields[.contentType]?.lowercased() ?? ""
        let kind = given.prefix { $0 != ";" && $0 != " " }
        // curl sends the second for whatever it posts.
        if kind != unknown, kind != "application/x-www-form-urlencoded", isType(kind) { return String(kind) }
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return unknown }
        return byExtension[name[name.index(after: dot)...].lowercased()] ?? unknown
    }

    /// RFC 9110 §8.3.1, RFC 6838 §4.2.
    private static func isType(_ text: Substring) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2 && text.utf8.count <= 127
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || "!#$&-^_.+".utf8.contains(byte)
                    }
            }
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
