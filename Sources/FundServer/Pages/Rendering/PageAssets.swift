internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Style, scripts and icons, embedded in the program. Their path holds a digest of all of them, so that a browser keeps
/// them for ever, and loads them anew with another version of the program.
struct PageAssets: Sendable {
    static let root = "/assets"

    private struct Asset {
        var type: String
        var bytes: ByteBuffer
        var small: ByteBuffer?

        init(_ type: String, _ bytes: [UInt8]) {
            self.type = type
            self.bytes = ByteBuffer(bytes: bytes)
            small = Gzip.compressed(self.bytes, .best)
        }
    }

    /// Sent as one file, in this order. Each but the first two is a block, so that its names are its own.
    private static let scripts = [
        "app", "acts", "times", "selection", "tray", "live", "sections", "opening", "late", "stars", "menu", "copy",
        "writing", "recent", "again",
    ]

    /// For administrators.
    private static let officeScripts = [
        "app", "acts", "times", "selection", "sections", "late", "copy", "keys", "desk", "deskkeys", "desklive", "fill",
        "recent", "again",
    ]

    /// Also stands in each page that is opened: a first visit waits neither for another request nor for a layout that
    /// is done once without it.
    static var style: [UInt8] {
        #if DEBUG
            if EmbeddedFiles.pages != nil { return style("app") }
        #endif
        return embeddedStyle
    }

    private static let embeddedStyle = style("app")

    /// A style sheet without the blanks and semicolons that mean nothing to a browser either, a tenth of what is left.
    /// Our style has no text with a blank behind one of these marks.
    private static func style(_ name: String) -> [UInt8] {
        let text = stripped("\(name).css", comment: "/*")
        var style: [UInt8] = []
        style.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            let (last, next) = (style.last ?? .space, index + 1 < text.count ? text[index + 1] : .space)
            if byte == .space, ":;,{}".utf8.contains(last) || "{}".utf8.contains(next) { continue }
            if byte == UInt8(ascii: "}"), last == UInt8(ascii: ";") { style.removeLast() }
            style.append(byte)
        }
        return style
    }

    private static func script(_ names: [String]) -> [UInt8] { names.flatMap { stripped("\($0).js", comment: "//") } }

    private static let namesOfKeys =
        "find, findAll, load, openLink, isPlainKey, typedIn, dialog, isNamed, isMovable, starOf, withMenu"

    /// Blocks that are imported at need, as one function: `begin` takes the names of app.js that they use.
    private static func begin(_ names: [String], with given: String) -> [UInt8] {
        Array("export const begin = ({ \(given) }) => {\n".utf8) + script(names) + Array("};\n".utf8)
    }

    private static func file(_ name: String) -> [UInt8] { EmbeddedFiles.bytes("Pages/Assets/\(name)") }

    /// A file without indentation and comments that fill a line: those are for readers of the source.
    private static func stripped(_ name: String, comment: String) -> [UInt8] {
        file(name).split(separator: .lf).flatMap { line -> [UInt8] in
            let text = line.drop { $0 == .space }
            return text.starts(with: comment.utf8) ? [] : text + [.lf]
        }
    }

    /// The files of this program, made once for all servers of a process.
    static let embedded = PageAssets()

    private let assets: [String: Asset]
    /// Where they are: `/assets/<digest>`.
    let path: String

    init() {
        let (script, style) = ("text/javascript; charset=utf-8", "text/css; charset=utf-8")
        let files: [(name: String, type: String, bytes: [UInt8])] = [
            ("app.css", style, Self.style), ("app.js", script, Self.script(Self.scripts)),
            // For pages with something that is read: a file, a mail, a note.
            ("detail.css", style, Self.style("paper") + Self.style("detail")),
            ("detail.js", script, Self.script(["detail"])),
            // At need, by app.js.
            ("letter.js", script, Self.script(["letter"])), ("letter.css", style, Self.style("letter")),
            ("drafts.js", script, Self.script(["drafts"])), ("previews.js", script, Self.script(["previews"])),
            ("settle.js", script, Self.script(["settle"])), ("dialog.js", script, Self.script(["dialog"])),
            ("rowmenu.js", script, Self.script(["rename", "rowmenu"])),
            ("keyboard.js", script, Self.begin(["keys", "steps", "rowkeys"], with: Self.namesOfKeys)),
            ("drag.js", script, Self.begin(["drag"], with: "marker, submitFields")),
            ("headings.js", script, Self.begin(["headings"], with: "make, find, findAll, enhance, dateFormat")),
            ("upload.js", script, Self.script(["upload"])), ("pieces.js", script, Self.script(["pieces"])),
            ("merge.js", script, Self.script(["merge"])), ("further.js", script, Self.script(["further"])),
            ("viewer.js", script, Self.script(["viewer"])),
            ("passkeys.js", script, Self.script(["passkeys"])), ("factors.css", style, Self.style("factors")),
            ("people.js", script, Self.script(["combobox", "people"])), ("contacts.css", style, Self.style("contacts")),
            ("news.css", style, Self.style("news")),
            ("palette.js", script, Self.script(["combobox", "palette"])), ("palette.css", style, Self.style("palette")),
            ("office.css", style, Self.style("paper") + Self.style("office") + Self.style("desk")),
            ("office.js", script, Self.script(Self.officeScripts)),
            // For people outside.
            ("shared.css", style, Self.style("shared")),
            ("icons.svg", "image/svg+xml", Self.file("icons.svg")),
        ]
        assets = Dictionary(uniqueKeysWithValues: files.map { ($0.name, Asset($0.type, $0.bytes)) })
        path = "\(Self.root)/\(ContentDigest.of(files.flatMap(\.bytes)).hex.prefix(16))"
    }

    /// Throws 404 for other names, and for the digest of another version.
    func response(digest: String?, name: String?, to request: Request) throws -> Response {
        guard let digest, path == "\(Self.root)/\(digest)", let asset = name.flatMap({ assets[$0] }) else {
            throw RequestError.notFound
        }
        var headers: HTTPFields = [
            .contentType: asset.type, .cacheControl: "public, max-age=31536000, immutable",
            .contentSecurityPolicy: "default-src 'none'; sandbox", .vary: "Accept-Encoding",
        ]
        guard let small = asset.small, Gzip.isAccepted(request.headers) else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: asset.bytes))
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: small))
    }
}
