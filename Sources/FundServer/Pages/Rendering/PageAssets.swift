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

    /// Sent as one file, in this order. Each but the first is a block, so that its names are its own.
    private static let scripts: [[UInt8]] = [
        PackageResources.app_js, PackageResources.times_js, PackageResources.selection_js, PackageResources.upload_js,
        PackageResources.live_js, PackageResources.sections_js, PackageResources.drag_js,
        PackageResources.pictures_js, PackageResources.keys_js,
        PackageResources.stars_js, PackageResources.copy_js, PackageResources.writing_js,
    ]

    /// For administrators.
    private static let officeScripts: [[UInt8]] = [
        PackageResources.app_js, PackageResources.times_js, PackageResources.selection_js,
        PackageResources.sections_js, PackageResources.copy_js, PackageResources.desk_js,
        PackageResources.desklive_js, PackageResources.fill_js,
    ]

    /// Also stands in each page that is opened: a first visit waits neither for another request nor for a layout that
    /// is done once without it.
    static let style = stripped(PackageResources.app_css, comment: "/*")

    /// Without indentation and comments that fill a line: those are for readers of the source.
    private static func stripped(_ source: [UInt8], comment: String) -> [UInt8] {
        source.split(separator: .lf).flatMap { line -> [UInt8] in
            let text = line.drop { $0 == .space }
            return text.starts(with: comment.utf8) ? [] : text + [.lf]
        }
    }

    private let assets: [String: Asset]
    /// Where they are: `/assets/<digest>`.
    let path: String

    init() {
        let script = "text/javascript; charset=utf-8"
        let files: [(name: String, type: String, bytes: [UInt8])] = [
            ("app.css", "text/css; charset=utf-8", Self.style),
            ("app.js", script, Self.scripts.flatMap { Self.stripped($0, comment: "//") }),
            // For few pages: app.js loads them there.
            ("drafts.js", script, Self.stripped(PackageResources.drafts_js, comment: "//")),
            ("previews.js", script, Self.stripped(PackageResources.previews_js, comment: "//")),
            ("pieces.js", script, Self.stripped(PackageResources.pieces_js, comment: "//")),
            ("viewer.js", script, Self.stripped(PackageResources.viewer_js, comment: "//")),
            ("office.css", "text/css; charset=utf-8", Self.stripped(PackageResources.office_css, comment: "/*")),
            ("office.js", script, Self.officeScripts.flatMap { Self.stripped($0, comment: "//") }),
            ("icons.svg", "image/svg+xml", PackageResources.icons_svg),
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
