import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

extension PageMatrixTests.Row {
    func send(
        _ things: TestItems, _ session: BrowserSession?, _ harness: ServerHarness
    ) async throws -> RawHTTPResponse {
        try await send(things, session, harness, token: session?.formToken, [:])
    }

    /// - Parameter changes: fields, of which an empty one is not sent.
    func send(
        _ things: TestItems, _ session: BrowserSession?, _ harness: ServerHarness, token: String?,
        _ changes: [String: String]
    ) async throws -> RawHTTPResponse {
        let target = things.fill(path + query)
        var fields = form == nil ? [:] : BrowserSession.ownForm
        if let session { fields["Cookie"] = session.cookie }
        var body = form.map(things.fill)
        if path.hasSuffix("/challenge") {
            fields["X-Form-Token"] = token
        } else if path.hasSuffix("/upload") {
            fields["Content-Type"] = "text/plain"
            fields["X-Form-Token"] = token
        } else if form != nil, path.hasPrefix("/library/uploads/") {
            fields["Content-Type"] = "application/partial-upload"
            (fields["Upload-Offset"], fields["Upload-Complete"]) = ("0", "?1")
            fields["X-Form-Token"] = token
        } else if path == "/library/contacts/import" || path == "/library/news/feeds/import", let text = body {
            fields["Content-Type"] = "multipart/form-data; boundary=b"
            let part = token.map { "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n\($0)\r\n" }
            body = (part ?? "") + text
        } else if let token, let text = body {
            body = "csrf=\(token)&\(text)"
        }
        fields = fields.merging(changes) { $1 }.filter { !$0.value.isEmpty }
        return try await harness.send(method, target, fields: fields, body: body.map { Array($0.utf8) })
    }
}
