import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// The form of the server for letters.
struct LetterServerPageTests {
    private static let path = "/office/outbox/server"
    private static let form =
        "scheme=smtps&host=mail.example&user=f%40example.com&password=ses%26ame&from=Fundmail+%3Cf%40example.com%3E"
        + "&try=1"

    private final class Program: Sendable {
        let answer = Mutex(LetterServerAnswer.busy)
        let asked = Mutex<[(LetterServerProposal, Bool)]>([])
    }

    private static func harness() async throws -> (ServerHarness, Program, BrowserSession) {
        let program = Program()
        var options = ServerHarness.Options()
        options.setup.addLetterServer = { proposal, isKeptAnyway, isAllowed in
            guard await isAllowed() else { return .forbidden }
            program.asked.withLock { $0.append((proposal, isKeptAnyway)) }
            return program.answer.withLock { $0 }
        }
        let harness = try await ServerHarness(options)
        return (harness, program, try await BrowserSession(harness.people.root, harness))
    }

    @Test
    func triesBeforeItIsKept() async throws {
        let (harness, program, root) = try await Self.harness()
        let hostile = "<script>alert(1)</script>"
        program.answer.withLock { $0 = .failed([Finding(.failure, subject: .smtp, hostile)]) }
        let failed = try await root.post(Self.path, Self.form, harness)
        #expect(
            failed.status == 422 && failed.text.contains("&lt;script&gt;") && !failed.text.contains("<script>alert"))
        #expect(failed.text.contains(#"name="keep""#) && !failed.text.contains("ses&amp;ame"))
        #expect(failed.text.contains("Fundmail &lt;f@example.com&gt;") && failed["cache-control"] == "no-store")
        // The password comes back sealed, for this administrator alone.
        let start = try #require(failed.text.firstRange(of: #"name="sealed" value=""#))
        let sealed = failed.text[start.upperBound...].prefix { $0 != "\"" }
        program.answer.withLock { $0 = .added("mail.example", [Finding(.ok, subject: .smtp, "fine")]) }
        let kept = Self.form.replacing("password=ses%26ame&", with: "password=&sealed=\(sealed)&keep=1&setup=1&")
            .replacing("&try=1", with: "")
        let added = try await root.post(Self.path, kept, harness)
        #expect(added.status == 200 && added.text.contains(#"class="button primary" href="/desk""#))
        #expect(added.text.contains("mail.example"))
        let asked = program.asked.withLock { $0 }
        #expect(asked.map { $0.0.password } == ["ses&ame", "ses&ame"] && asked.map { $0.1 } == [false, true])
        #expect(asked.map { $0.0.recipient } == ["root@example.com", nil])
        var filter = AuditFilter()
        filter.action = "outbox.server"
        let trail = try await harness.store.administration.audit(filter, PageQuery()).items
        #expect(trail.map(\.subject) == ["mail.example"] && !trail[0].detail.contains("ses"))
        try await harness.stop()
    }

    @Test(arguments: LetterServerField.allCases)
    func leadsToTheField(_ field: LetterServerField) async throws {
        let (harness, program, root) = try await Self.harness()
        program.answer.withLock { $0 = .wrong(field) }
        let page = try await root.post(Self.path, Self.form, harness)
        #expect(
            page.status == 422
                && page.text.contains(
                    Words(language: .en)("letterserver.wrong.\(field.rawValue)")
                        .replacing("<", with: "&lt;").replacing(">", with: "&gt;"))
        )
        guard field != .present else { return try await harness.stop() }
        #expect(page.text.contains("href=\"#\(field)\"") && page.text.contains("id=\"\(field)\""))
        #expect(page.text.contains(#"aria-invalid="true""#))
        try await harness.stop()
    }

    @Test
    func saysWhatToDoByHand() async throws {
        let (harness, program, root) = try await Self.harness()
        program.answer.withLock { $0 = .byHand(why: "<b>", lines: "smtp:\n  url: y", []) }
        let page = try await root.post(Self.path, Self.form, harness)
        #expect(page.status == 409 && page.text.contains("smtp:\n  url: y") && page.text.contains("&lt;b&gt;"))
        program.answer.withLock { $0 = .busy }
        #expect(try await root.post(Self.path, Self.form, harness).status == 503)
        #expect(try await root.post(Self.path, "scheme=http&host=x", harness).status == 400)
        let step = try await root.get(Self.path + "?setup=1", harness)
        #expect(step.text.contains(#"aria-current="step""#) && step.text.contains("Skip this step"))
        try await harness.stop()
    }
}
