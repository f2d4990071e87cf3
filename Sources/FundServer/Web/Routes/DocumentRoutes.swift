internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension WebAPI {
    static let documentRoutes: [WebRoute] = [
        .get("/openapi.yaml", .anyone) { _ in
            Response(
                status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: document))
        }
    ]

    private static let document = ByteBuffer(bytes: PackageResources.openapi_yaml)
}
