internal import Mustache

/// The templates of the pages (https://mustache.github.io/mustache.5.html), embedded in the program. Every value is
/// escaped by `MarkupText`: no template holds `{{{` or `{{&`, and no value is a lambda, whose result would be read as a
/// template.
struct PageTemplates: Sendable {
    static let sources: [String: [UInt8]] = [
        "account": PackageResources.account_mustache, "again": PackageResources.again_mustache,
        "beside": PackageResources.beside_mustache, "move": PackageResources.move_mustache,
        "paging": PackageResources.paging_mustache, "refused": PackageResources.refused_mustache,
        "draft": PackageResources.draft_mustache, "edit": PackageResources.edit_mustache,
        "email": PackageResources.email_mustache,
        "error": PackageResources.error_mustache, "file": PackageResources.file_mustache,
        "files": PackageResources.files_mustache, "foot": PackageResources.foot_mustache,
        "fundhead": PackageResources.fundhead_mustache, "head": PackageResources.head_mustache,
        "home": PackageResources.home_mustache, "mail": PackageResources.mail_mustache,
        "note": PackageResources.note_mustache, "notes": PackageResources.notes_mustache,
        "leaving": PackageResources.leaving_mustache, "letter": PackageResources.letter_mustache,
        "mailbar": PackageResources.mailbar_mustache,
        "search": PackageResources.search_mustache, "sent": PackageResources.sent_mustache,
        "signin": PackageResources.signin_mustache, "trash": PackageResources.trash_mustache,
        "addresscard": PackageResources.addresscard_mustache, "card": PackageResources.card_mustache,
        "favouriterows": PackageResources.favouriterows_mustache,
        "favourites": PackageResources.favourites_mustache, "manage": PackageResources.manage_mustache,
        "qr": PackageResources.qr_mustache, "star": PackageResources.star_mustache,
    ]

    private let library: MustacheLibrary

    /// Throws for a template that cannot be read.
    init() throws {
        var library = MustacheLibrary()
        MustacheContentTypes.register(MarkupText(), named: MarkupText.name)
        for (name, source) in Self.sources {
            let text = "{{% CONTENT_TYPE:\(MarkupText.name)}}" + String(decoding: source, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// Traps for a name that no template has; it is a constant of this program.
    func render(_ name: String, _ model: PageModel) -> String {
        guard let text = library.render(model, withTemplate: name) else { preconditionFailure("no template \(name)") }
        return text
    }
}

/// Escapes byte by byte. The library's own escaping goes by characters, and a `"` or `<` that a combining mark or a
/// prepended one (UAX #29) makes a part of a character would be written as it is.
struct MarkupText: MustacheContentType {
    static let name = "MARKUP"

    func escapeText(_ text: String) -> String {
        func isSafe(_ byte: UInt8) -> Bool {
            byte != UInt8(ascii: "&") && byte != UInt8(ascii: "<") && byte != UInt8(ascii: ">")
                && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "'")
        }
        if text.utf8.allSatisfy(isSafe) { return text }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
