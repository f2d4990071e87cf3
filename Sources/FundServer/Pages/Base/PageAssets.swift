internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore

/// Style, scripts and icons, embedded in the program. Their path holds a digest of all of them, so that a browser keeps
/// them for ever, and loads them anew with another version of the program.
struct PageAssets: Sendable {
    static let root = "/assets"

    private struct Asset {
        var type: String
        var bytes: ByteBuffer
    }

    /// Sent as one file, in this order. Each but the first is a block, so that its names are its own.
    private static let scripts: [[UInt8]] = [
        PackageResources.app_js, PackageResources.times_js, PackageResources.selection_js, PackageResources.upload_js,
        PackageResources.stars_js, PackageResources.copy_js, PackageResources.drafts_js,
    ]

    private let assets: [String: Asset]
    /// Where they are: `/assets/<digest>`.
    let path: String

    init() {
        let files: [(name: String, type: String, bytes: [UInt8])] = [
            ("app.css", "text/css; charset=utf-8", PackageResources.app_css),
            ("app.js", "text/javascript; charset=utf-8", Self.scripts.flatMap(\.self)),
            ("icons.svg", "image/svg+xml", PackageResources.icons_svg),
        ]
        assets = Dictionary(
            uniqueKeysWithValues: files.map { ($0.name, Asset(type: $0.type, bytes: ByteBuffer(bytes: $0.bytes))) })
        path = "\(Self.root)/\(ContentDigest.of(files.flatMap(\.bytes)).hex.prefix(16))"
    }

    /// Throws 404 for other names, and for the digest of another version.
    func response(digest: String?, name: String?, to request: Request) throws -> Response {
        guard let digest, path == "\(Self.root)/\(digest)", let asset = name.flatMap({ assets[$0] }) else {
            throw RequestError.notFound
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: asset.type, .cacheControl: "public, max-age=31536000, immutable",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ], body: ResponseBody(byteBuffer: asset.bytes))
    }
}
