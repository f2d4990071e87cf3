internal import Foundation
import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// What an upload may be, and who may go on with one.
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
        #expect(MediaTypes.said([.contentType: sent]) == kept ?? "application/octet-stream")
    }

    /// What a form of another site could send, in whatever case.
    @Test(arguments: [
        "multipart/form-data; boundary=x", "Multipart/Form-Data; boundary=x", "Application/X-WWW-Form-Urlencoded",
    ])
    func takesNoForms(_ type: String) async throws {
        let trial = try await ServerTrial()
        let token = try await trial.token(of: trial.people.ann)
        let response = try await trial.send(
            "POST", "/api/v1/funds/\(trial.people.fund.id)/files?name=a", token: token, fields: ["Content-Type": type],
            body: [1])
        #expect(response.status == 415)
        try await trial.stop()
    }

    /// Over both ways in.
    @Test(arguments: [false, true])
    func endsWithItsUser(_ isDAV: Bool) async throws {
        var options = ServerTrial.Options()
        options.settings.limits.bodyGrace = .seconds(3600)
        let trial = try await ServerTrial(options)
        let ann = trial.people.ann
        let credentials =
            isDAV
            ? DAVTrial.basic(ann.email, try await trial.appPassword(of: ann).characters)
            : "Bearer \(try await trial.token(of: ann))"
        let target =
            isDAV ? "PUT /dav/Fund1/new.bin" : "POST /api/v1/funds/\(trial.people.fund.id)/files?name=new.bin"
        let connection = try RawHTTPConnection(port: trial.port)
        await connection.send(
            "\(target) HTTP/1.1\r\nHost: a\r\nAuthorization: \(credentials)\r\nContent-Type: text/plain\r\n"
                + "Content-Length: 3\r\n\r\nn")
        try await eventually { try Folder.names(in: trial.folder + "/store/tmp").count == 1 }
        try await trial.store.setDisabled(true, user: ann.id, actor: "test")
        await connection.send("ew")
        #expect(await connection.response()?.status == 401)
        try await trial.store.setDisabled(false, user: ann.id, actor: "test")
        let names = try await trial.store.children(
            of: LibraryPlace(fund: trial.people.fund.id), of: ann.id
        ).map(\.name)
        #expect(!names.contains("new.bin"))
        try await trial.stop()
    }
}
