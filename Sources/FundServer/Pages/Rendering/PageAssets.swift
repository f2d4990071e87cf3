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

    /// A file of `Assets`, as it is embedded.
    private typealias Source = (name: String, embedded: [UInt8])

    private static let app: Source = ("app.js", PackageResources.app_js)
    private static let times: Source = ("times.js", PackageResources.times_js)
    private static let selection: Source = ("selection.js", PackageResources.selection_js)
    private static let sections: Source = ("sections.js", PackageResources.sections_js)
    private static let pictures: Source = ("pictures.js", PackageResources.pictures_js)
    private static let copy: Source = ("copy.js", PackageResources.copy_js)

    /// Sent as one file, in this order. Each but the first is a block, so that its names are its own.
    private static let scripts: [Source] = [
        app, times, selection, ("upload.js", PackageResources.upload_js), ("live.js", PackageResources.live_js),
        sections, ("drag.js", PackageResources.drag_js), pictures,
        ("keys.js", PackageResources.keys_js), ("stars.js", PackageResources.stars_js), copy,
        ("writing.js", PackageResources.writing_js), ("again.js", PackageResources.again_js),
    ]

    /// For administrators.
    private static let officeScripts: [Source] = [
        app, times, selection, sections, pictures, copy, ("desk.js", PackageResources.desk_js),
        ("desklive.js", PackageResources.desklive_js), ("fill.js", PackageResources.fill_js),
        ("again.js", PackageResources.again_js),
    ]

    private static let officeStyles: [Source] = [
        ("office.css", PackageResources.office_css), ("desk.css", PackageResources.desk_css),
    ]

    /// Also stands in each page that is opened: a first visit waits neither for another request nor for a layout that
    /// is done once without it.
    static var style: [UInt8] {
        #if DEBUG
            if PageFolder.path != nil { return styled(("app.css", PackageResources.app_css)) }
        #endif
        return embeddedStyle
    }

    private static let embeddedStyle = styled(("app.css", PackageResources.app_css))

    /// Also without the blanks and semicolons that mean nothing to a browser: a tenth of what is left. Our style has no
    /// text with a blank behind one of these marks.
    private static func styled(_ source: Source) -> [UInt8] {
        let text = stripped(source, comment: "/*")
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

    private static func script(_ sources: [Source]) -> [UInt8] { sources.flatMap { stripped($0, comment: "//") } }

    private static func text(_ source: Source) -> [UInt8] {
        #if DEBUG
            return PageFolder.bytes("Assets/\(source.name)") ?? source.embedded
        #else
            return source.embedded
        #endif
    }

    /// Without indentation and comments that fill a line: those are for readers of the source.
    private static func stripped(_ source: Source, comment: String) -> [UInt8] {
        text(source).split(separator: .lf).flatMap { line -> [UInt8] in
            let text = line.drop { $0 == .space }
            return text.starts(with: comment.utf8) ? [] : text + [.lf]
        }
    }

    private let assets: [String: Asset]
    /// Where they are: `/assets/<digest>`.
    let path: String

    init() {
        let (script, style) = ("text/javascript; charset=utf-8", "text/css; charset=utf-8")
        let files: [(name: String, type: String, bytes: [UInt8])] = [
            ("app.css", style, Self.style), ("app.js", script, Self.script(Self.scripts)),
            // For few pages: app.js loads them there.
            ("drafts.js", script, Self.script([("drafts.js", PackageResources.drafts_js)])),
            ("previews.js", script, Self.script([("previews.js", PackageResources.previews_js)])),
            ("pieces.js", script, Self.script([("pieces.js", PackageResources.pieces_js)])),
            ("viewer.js", script, Self.script([("viewer.js", PackageResources.viewer_js)])),
            ("office.css", style, Self.officeStyles.flatMap(Self.styled)),
            ("office.js", script, Self.script(Self.officeScripts)),
            ("icons.svg", "image/svg+xml", Self.text(("icons.svg", PackageResources.icons_svg))),
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
