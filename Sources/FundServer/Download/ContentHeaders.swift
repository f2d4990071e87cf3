internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// Response fields with which a file from an untrusted sender can be given to a browser.
enum ContentHeaders {
    /// The file cannot run scripts, load or send anything, and has no origin, so that it cannot read the user's token.
    static let policy = "\(loadsNothing); sandbox"
    /// For a PDF that is shown: Safari shows a blank page in a sandbox. What shows it is no page of this origin.
    private static let policyOfShownPDF = loadsNothing
    private static let loadsNothing = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    /// For files without a type, or with one that a browser might run.
    private static let unknownType = "application/octet-stream"

    /// Types that browsers only display.
    private static let inlineTypes: Set<String> = [
        "application/pdf", "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm",
        "image/avif", "image/bmp", "image/gif", "image/jpeg", "image/png", "image/webp", "text/plain", "video/mp4",
        "video/ogg", "video/webm",
    ]
    /// Types that are passed on, since programs that save the file may use them.
    private static let savedTypes: Set<String> = [
        "application/gzip", "application/json", "application/msword", "application/ogg", "application/rtf",
        "application/x-7z-compressed", "application/x-tar", "application/zip", "image/heic", "image/heif", "image/tiff",
        "message/rfc822", "text/calendar", "text/csv", "text/markdown", "text/vcard",
    ]
    /// Prefixes of the types of office documents and media.
    private static let savedTrees = [
        "application/vnd.oasis.opendocument.", "application/vnd.openxmlformats-officedocument.",
        "application/vnd.ms-", "audio/", "video/", "font/",
    ]

    static func fields(of content: ServedContent) -> HTTPFields {
        let type = type(of: content.contentType)
        let isInline = content.isInline && inlineTypes.contains(type)
        var fields: HTTPFields = [
            .contentType: content.isUTF8 ? "\(type); charset=utf-8" : type, .eTag: content.digest.entityTag,
            .acceptRanges: "bytes",
            // Revalidated each time: a user who lost access or signed out must not find the file in a cache.
            .cacheControl: "private, no-cache",
            .contentDisposition: disposition(isInline ? "inline" : "attachment", name: content.name),
            .xContentTypeOptions: "nosniff",
            .contentSecurityPolicy: isInline && type == "application/pdf" ? policyOfShownPDF : policy,
        ]
        if let modifiedAt = content.modifiedAt { fields[.lastModified] = DateText.http(modifiedAt) }
        return fields
    }

    /// Without its parameters.
    private static func type(of sent: String) -> String {
        if inlineTypes.contains(sent) || savedTypes.contains(sent) { return sent }
        let type = sent.prefix { $0 != ";" && $0 != " " }.lowercased()
        let isKnown =
            inlineTypes.contains(type) || savedTypes.contains(type)
            || savedTrees.contains { type.hasPrefix($0) && type.utf8.allSatisfy(isToken) }
        return isKnown ? type : unknownType
    }

    /// RFC 6266, with the name in UTF-8 (RFC 8187) beside one in ASCII for old programs.
    static func disposition(_ kind: String, name: String) -> String {
        if name.utf8.allSatisfy(isPlain) { return "\(kind); filename=\"\(name)\"" }
        let plain = String(decoding: name.unicodeScalars.map(Self.plain), as: UTF8.self)
        return "\(kind); filename=\"\(plain)\"; filename*=UTF-8''\(encoded(name))"
    }

    /// Neither characters that end or escape a quoted string, nor `%`, which only some programs decode.
    private static func plain(_ scalar: Unicode.Scalar) -> UInt8 {
        guard let byte = UInt8(exactly: scalar.value), isPlain(byte) else { return UInt8(ascii: "_") }
        return byte
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) && !"\"\\%/".utf8.contains(byte)
    }

    /// RFC 8187 §3.2.1 `value-chars`.
    private static func encoded(_ name: String) -> String {
        PercentCoding.encoded(name) { ASCII.isAlphanumeric($0) || "!#$&+-.^_`|~".utf8.contains($0) }
    }

    private static func isToken(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "/.+-_".utf8.contains(byte) }
}

extension ContentDigest {
    /// Entity tag of the content with this digest (RFC 9110 §8.8.3): strong, and equal for equal bytes at any time.
    var entityTag: String { "\"\(hex)\"" }
}
