internal import FundCore
package import Hummingbird
internal import NIOCore

/// Errors as `application/problem+json` (RFC 9457).
package enum ProblemDetails {
    package static let contentType = "application/problem+json"

    package static func response(to failure: RequestError, requestID: String) -> Response {
        var json = JSONWriter()
        json.object { object in
            object.field("type", "urn:fundmail:problem:\(failure.code)")
            object.field("title", failure.status.reasonPhrase)
            object.field("status", Int64(failure.status.code))
            object.field("detail", failure.detail)
            object.field("instance", "urn:fundmail:request:\(requestID)")
        }
        var headers = failure.headers
        headers[.contentType] = contentType
        headers[.cacheControl] = "no-store"
        return Response(
            status: failure.status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes)))
    }
}
