import Foundation
import FundCore
import TestSupport

@testable import FundServer

/// One person's visit as a browser keeps it: the cookie, and the token of the forms of the page that is open.
struct BrowserSession: Sendable {
    let cookie: String
    let formToken: String

    /// Signs in as the page does.
    init(_ user: User, _ harness: ServerHarness) async throws {
        let answer = try await harness.send(
            "POST", "/sign-in", fields: Self.ownForm,
            body: Array("username=\(user.email.replacing("@", with: "%40"))&password=\(Self.password)".utf8))
        guard answer.status == 303, let cookie = answer["set-cookie"]?.prefix(while: { $0 != ";" }) else {
            throw ServerFailure("signing in gave \(answer.status): \(answer.text)")
        }
        self.cookie = String(cookie)
        let page = try await harness.send("GET", "/account", fields: ["Cookie": self.cookie])
        formToken = try Self.formToken(in: page.text)
    }

    init(cookie: String, formToken: String) { (self.cookie, self.formToken) = (cookie, formToken) }

    static let password = TestPeople.password.replacing(" ", with: "+")
    /// The fields with which a browser sends a form of the same site.
    static let ownForm = ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"]

    static func formToken(in page: String) throws -> String {
        guard let start = page.range(of: #"name="csrf" content=""#) else { throw ServerFailure("no token in \(page)") }
        return String(page[start.upperBound...].prefix { $0 != "\"" })
    }

    /// Also leads on from the address of a file, a mail or a note.
    func get(_ path: String, _ harness: ServerHarness, fields: [String: String] = [:]) async throws -> RawHTTPResponse {
        let fields = fields.merging(["Cookie": cookie]) { $1 }
        let answer = try await harness.send("GET", path, fields: fields)
        // The address of an item leads to the list that holds it.
        guard answer.status == 303, let place = answer["location"], place.contains("open=") else { return answer }
        return try await harness.send("GET", String(place.prefix { $0 != "#" }), fields: fields)
    }

    /// Sends a form with its token, and without the fields that are empty.
    func post(
        _ path: String, _ form: String = "", _ harness: ServerHarness, fields: [String: String] = [:]
    ) async throws -> RawHTTPResponse {
        let body = "csrf=\(formToken)" + (form.isEmpty ? "" : "&" + form)
        let sent = Self.ownForm.merging(["Cookie": cookie]) { $1 }.merging(fields) { $1 }
        return try await harness.send(
            "POST", path, fields: sent.filter { !$0.value.isEmpty }, body: Array(body.utf8))
    }
}
