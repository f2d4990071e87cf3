import Foundation
import TestSupport
import Testing

/// `fundmail mailbox status`: what runs recorded, also for mailboxes that are no longer configured.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct MailboxCommandTests {
    private func states(_ store: ReplayStore) async throws -> [String: [String: any Sendable]] {
        let done = try await store.run("mailbox", "status", "--json")
        #expect(done.isSuccess, "\(done)")
        return try Dictionary(
            uniqueKeysWithValues: jsonLines(done.output).map { ($0["mailbox"] as? String ?? "", $0) })
    }

    @Test func everyConditionIsShown() async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        let (good, bad) = ("status-good", "status-bad")
        let fine = try MailboxSettings("fine", at: server, user: good)
        var failing = try MailboxSettings("failing", at: server, user: bad)
        failing.login = "password: not-this-one"
        try store.configure(fine)
        #expect(try await states(store)["fine"]?["condition"] as? String == "never_polled")
        #expect(try await store.run("mailbox", "status").output.contains("never polled"))

        let mail = CrashMail.messages(20)
        for message in mail { try server.deliver(message.wireBytes, to: good) }
        try store.configure(fine, failing)
        for _ in 0..<2 { #expect(try await store.run("poll").status == 69) }
        var states = try await states(store)
        let (first, second) = (try #require(states["fine"]), try #require(states["failing"]))
        #expect(first["condition"] as? String == "ok" && first["last_success"] is String && first["runs"] as? Int == 2)
        for outcome in ["filed", "misrouted", "rejected", "duplicate"] {
            #expect(first[outcome] as? Int == mail.count { $0.outcome == outcome }, "\(outcome): \(first)")
        }
        #expect(second["condition"] as? String == "failing" && second["consecutive_failures"] as? Int == 2)
        #expect(second["failing_since"] is String && first["failing_since"] is NSNull, "\(states)")
        #expect(try await store.run("mailbox", "status").output.contains("failing: 2 runs in a row failed since "))
        #expect(try await store.run("doctor", "--offline").output.contains("the last 2 runs failed since "))
        let digest = try await store.run("report", "misrouted", "--digest")
        #expect(digest.output.contains("failing: 2 runs in a row failed since "), "\(digest)")
        let error = second["last_error"] as? String
        #expect(error?.contains("refuses the login") == true && second["last_success"] is NSNull)

        // Overcome, and then taken out of the configuration.
        failing.login = "password: \(DovecotServer.password)"
        try store.configure(fine, failing)
        #expect(try await store.run("poll").isSuccess)
        try store.configure(fine)
        states = try await self.states(store)
        #expect(states["failing"]?["condition"] as? String == "not_configured")
        #expect(states["failing"]?["configured"] as? Bool == false)
        #expect(states["failing"]?["consecutive_failures"] as? Int == 0)
        #expect(states["failing"]?["failing_since"] is NSNull)
        let shown = try await store.run("mailbox", "list")
        #expect(shown.isSuccess && shown.output.contains("failing: overcome since"), "\(shown)")
        #expect(!shown.output.contains("not-this-one") && shown.output.contains("not configured"), "\(shown)")
        let doctor = try await store.run("doctor", "--offline")
        #expect(doctor.isSuccess && doctor.output.contains("last polled at"), "\(doctor)")
    }
}
