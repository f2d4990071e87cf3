internal import FundHTTP
internal import Hummingbird
import FundCore

/// Responses of the mobile API: one JSON object with `status`. All ids are numbers, all times whole seconds since 1970.
enum MobileReply {
    /// Old clients compare the whole field.
    static let contentType = "application/json; charset=utf-8"

    static func ok(_ fill: (inout JSONWriter) -> Void = { _ in }) -> Response {
        response(.ok) { json in
            json.field("status", "OK")
            fill(&json)
        }
    }

    static func error(
        _ status: HTTPResponse.Status, _ description: String, headers: HTTPFields = [:],
        _ fill: (inout JSONWriter) -> Void = { _ in }
    ) -> Response {
        var response = response(status) { json in
            json.field("status", "Error")
            json.field("description", description)
            fill(&json)
        }
        for field in headers where field.name != .contentType { response.headers[field.name] = field.value }
        return response
    }

    static func failure(_ failure: RequestError) -> Response {
        let description =
            switch failure.code {
            case RequestError.unauthenticated.code: "invalid sign"
            case "token-expired": "token expired"
            case RequestError.notFound.code: "not found"
            default: failure.detail
            }
        var headers = failure.headers
        // RFC 9110 §11.6.1 requires a challenge; browsers do not know this scheme, so they do not ask for a password.
        if failure.status == .unauthorized { headers[.wwwAuthenticate] = "Sign" }
        return error(failure.status, description, headers: headers)
    }

    static func streamed(_ fill: @escaping @Sendable (inout MobileStream) async throws -> Void) -> Response {
        Response(
            status: .ok, headers: [.contentType: contentType, .cacheControl: "no-store"], body: MobileStream.body(fill))
    }

    private static func response(_ status: HTTPResponse.Status, _ fill: (inout JSONWriter) -> Void) -> Response {
        var json = JSONWriter()
        json.object(fill)
        return Response(status, contentType, ByteBuffer(bytes: json.bytes))
    }
}

extension JSONWriter {
    mutating func mobileFund(_ fund: FundEntry) {
        object { json in
            json.field("id", fund.id)
            json.field("name", fund.name)
            json.field("date", fund.createdAt)
        }
    }

    mutating func mobileNote(_ note: NoteEntry) {
        object { json in
            json.field("id", note.id)
            json.field("title", note.text.title)
            json.field("content", note.text.content)
            json.field("date", note.modifiedAt)
        }
    }

    mutating func mobileEmail(_ email: EmailSummary) {
        object { json in
            json.mobileEmailFields(email)
            json.field("attachments", email.attachmentCount)
        }
    }

    /// - Parameter text: its words, whatever form they came in.
    mutating func mobileEmail(_ email: EmailEntry, text: String) {
        object { json in
            json.mobileEmailFields(email.summary)
            json.field("text", text)
            json.field("attachments", email.attachments) { $0.mobileAttachment($1) }
        }
    }

    private mutating func mobileEmailFields(_ email: EmailSummary) {
        field("id", email.id)
        field("subject", email.subject ?? "")
        field("from", email.from ?? "")
        field("date", email.sentAt ?? email.receivedAt)
        field("received", email.receivedAt)
    }

    private mutating func mobileAttachment(_ attachment: AttachmentEntry) {
        object { json in
            json.field("id", attachment.id)
            json.field("name", attachment.name)
            json.field("content_type", attachment.contentType)
            json.field("size", attachment.size)
            json.field("sha256", attachment.digest.hex)
            json.field("inline", attachment.isInline)
        }
    }
}
