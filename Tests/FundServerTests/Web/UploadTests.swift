internal import Foundation
import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Forms of uploads, and who may go on with one.
struct UploadTests {
    /// A media type is kept as it came (RFC 9110 §8.3.1); anything else says nothing about the file.
    @Test(arguments: [
        ("text/plain", "text/plain"), ("Text/Plain; charset=UTF-8", "Text/Plain; charset=UTF-8"),
        ("text/plain;charset=\"a b\\\"\" ; x=y", "text/plain;charset=\"a b\\\"\" ; x=y"),
        ("text/plain;", "text/plain;"),
        ("text", nil), ("text/", nil), ("/plain", nil), ("text/plain/x", nil), ("text plain", nil),
        ("text/plain; charset", nil), ("text/plain; charset=", nil), ("text/plain; charset=\"x", nil),
        ("text/plain charset=x", nil), ("text/<b>", nil), ("text/\u{E9}", nil),
        ("text/\(String(repeating: "x", count: 300))", nil),
        ("text/plain; x=\(String(repeating: "x", count: 300))", nil),
    ])
    func keepsMediaTypesOnly(_ sent: String, _ kept: String?) throws {
        #expect(MediaTypes.declared([.contentType: sent]) == kept ?? "application/octet-stream")
    }

    /// Media types that a form of another site could send, in upper and lower case.
    @Test(arguments: [
        "multipart/form-data; boundary=x", "Multipart/Form-Data; boundary=x", "Application/X-WWW-Form-Urlencoded",
    ])
    func takesNoForms(_ type: String) async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let response = try await harness.send(
            "POST", "/api/v1/funds/\(harness.people.fund.id)/files?name=a", token: token,
            fields: ["Content-Type": type],
            body: [1])
        #expect(response.status == 415)
        try await harness.stop()
    }

    /// Over both ways in.
    @Test(arguments: [false, true])
    func endsWithItsUser(_ isDAV: Bool) async throws {
        var options = ServerHarness.Options()
        options.settings.limits.bodyGrace = .seconds(3600)
        let harness = try await ServerHarness(options)
        let ann = harness.people.ann
        let credentials =
            isDAV
            ? DAVHarness.basic(ann.email, try await harness.appPassword(of: ann).characters)
            : "Bearer \(try await harness.token(of: ann))"
        let target =
            isDAV ? "PUT /dav/Fund1/new.bin" : "POST /api/v1/funds/\(harness.people.fund.id)/files?name=new.bin"
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(
            "\(target) HTTP/1.1\r\nHost: a\r\nAuthorization: \(credentials)\r\nContent-Type: text/plain\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n1\r\nn\r\n")
        // An upload of unknown size has a file from its beginning on.
        try await eventually { try DiskDirectory.names(in: harness.folder + "/store/tmp").count == 1 }
        try await harness.store.administration.setDisabled(true, user: ann.id, actor: "test")
        await connection.send("2\r\new\r\n0\r\n\r\n")
        #expect(await connection.response()?.status == 401)
        try await harness.store.administration.setDisabled(false, user: ann.id, actor: "test")
        let names = try await harness.store.library.children(
            of: LibraryPlace(fund: harness.people.fund.id), of: ann.id
        ).map(\.name)
        #expect(!names.contains("new.bin"))
        try await harness.stop()
    }
}
