internal import FundCore
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// Errors as `application/problem+json` (RFC 9457).
package enum ProblemDetails {
    package static let contentType = "application/problem+json"

    /// Answer to a request that failed.
    package static func response(to failure: RequestError, requestID: String) -> Response {
        var json = JSONWriter()
        json.object { object in
            object.field("type", failure.type ?? "urn:fundmail:problem:\(failure.code)")
            object.field("title", failure.status.reasonPhrase)
            object.field("status", failure.status.code)
            object.field("detail", failure.detail)
            object.field("instance", "urn:fundmail:request:\(requestID)")
            if let reason = failure.reason { object.field("code", reason) }
            for (name, number) in failure.numbers.sorted(by: { $0.key < $1.key }) {
                object.key(name)
                object.value(number)
            }
        }
        return Response(failure.status, contentType, ByteBuffer(bytes: json.bytes), headers: failure.headers)
    }
}

extension Response {
    /// With a body of this type, not to be stored.
    package init(_ status: HTTPResponse.Status, _ contentType: String, _ body: ByteBuffer, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = contentType
        headers[.cacheControl] = "no-store"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
