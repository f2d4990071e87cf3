import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

/// Letters of people on their whole way: a real SMTP server takes them, and what mail servers give back comes in
/// through a real Dovecot.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable)) struct LetterBounceTests {
    private static let user = "bounces"

    /// A report as Postfix writes it (RFC 3464), about a letter that no mailbox takes.
    private static func report(to path: String, _ action: String, _ status: String) -> [UInt8] {
        let lines = [
            "Return-Path: <>", "Delivered-To: funds@corp.example", "Date: Sun, 29 Nov 2026 05:00:00 +0000 (UTC)",
            "From: MAILER-DAEMON@mx.corp.example (Mail Delivery System)",
            "Subject: Undelivered Mail Returned to Sender",
            "To: \(path)", "Auto-Submitted: auto-replied", "MIME-Version: 1.0",
            "Content-Type: multipart/report; report-type=delivery-status;", "\tboundary=\"4B2F1A.1/mx.corp.example\"",
            "Message-Id: <\(action).\(status)@mx.corp.example>", "", "This is a MIME-encapsulated message.", "",
            "--4B2F1A.1/mx.corp.example", "Content-Description: Notification",
            "Content-Type: text/plain; charset=us-ascii", "", "This is the mail system at host mx.corp.example.", "",
            "--4B2F1A.1/mx.corp.example", "Content-Description: Delivery report",
            "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.corp.example",
            "X-Postfix-Queue-ID: 4B2F1A", "", "Final-Recipient: rfc822; cy@example.net", "Action: \(action)",
            "Status: \(status)", "Remote-MTA: dns; mx.example.net",
            "Diagnostic-Code: smtp; 550 \(status) <cy@example.net>: Recipient address", "    rejected: User unknown",
            "",
            "--4B2F1A.1/mx.corp.example", "Content-Description: Undelivered Message Headers",
            "Content-Type: text/rfc822-headers", "", "Subject: Q3", "", "--4B2F1A.1/mx.corp.example--", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func away(to path: String) -> [UInt8] {
        let lines = [
            "Return-Path: <>", "Date: Sun, 29 Nov 2026 05:00:00 +0000", "From: Cy <cy@example.net>",
            "Subject: Away: Q3", "To: \(path)", "Auto-Submitted: auto-replied", "Message-Id: <away@example.net>", "",
            "I am away until Monday. 5.1.1", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    @Test func lettersComeBack() async throws {
        let replay = try await ReplayStore()
        defer { replay.remove() }
        let (dovecot, submission) = (try DovecotServer.shared.get(), try SubmissionServer(.smtps))
        defer { submission.stop() }
        try await Self.configure(replay, dovecot, submission)
        let (id, ann) = try await Self.withStore(replay) { store in
            let users = try await store.administration.users()
            let ann = try #require(users.first { $0.user.email == "ann@example.com" }).user
            let letter = NewLetter(
                to: try AddressList("Cy <cy@example.net>, di@example.net").people, subject: "Q3", text: "Here it is.")
            let sent = try await store.letters.addLetter(letter, with: [:], LetterPolicy(), of: ann.id)
            return (sent.letter.summary.id, ann.id)
        }
        func states(after mail: [UInt8]...) async throws -> [String] {
            for one in mail { try dovecot.deliver(one, to: Self.user) }
            let done = try await replay.run("poll")
            try #require(done.isSuccess, "\(done)")
            return try await Self.withStore(replay) { store in
                try await store.letters.letter(id, of: ann).summary.recipients.map { $0.delivery.rawValue }
            }
        }
        #expect(try await states() == ["sent", "sent"])
        let envelopes = try [submission.facts(1), submission.facts(2)]
        #expect(envelopes.map(\.to) == [["cy@example.net"], ["di@example.net"]])
        let paths = envelopes.map(\.from)
        #expect(Set(paths).count == 2 && paths.allSatisfy { $0.hasPrefix("funds+b.") }, "\(paths)")
        let text = String(decoding: try submission.letters[0], as: UTF8.self)
        for line in [
            "From: \"ann@example.com via Fundmail\" <funds@corp.example>", "Reply-To: ",
            "Cy <cy@example.net>, di@example.net",
        ] { #expect(text.contains(line), "\(line): \(text)") }

        // An answer of a program, and a report under a mark that is not of this store, change nothing.
        let forged = "funds+b.1.1.00000000000000000000@corp.example"
        #expect(
            try await states(after: Self.away(to: paths[0]), Self.report(to: forged, "failed", "5.1.1")) == [
                "sent", "sent",
            ])
        #expect(try await states(after: Self.report(to: paths[0], "delayed", "4.4.1")) == ["delayed", "sent"])
        #expect(try await states(after: Self.report(to: paths[0], "failed", "5.1.1")) == ["bounced", "sent"])
        // Once more the same: a copy that is known.
        #expect(try await states(after: Self.report(to: paths[0], "failed", "5.1.1")) == ["bounced", "sent"])
        let note = try await Self.withStore(replay) { store in
            try await store.letters.letter(id, of: ann).summary.recipients[0].note
        }
        #expect(note == "550 5.1.1 <cy@example.net>: Recipient address rejected: User unknown")
        // Nothing of it waits but what is no report: the answer, and the forged one.
        let report = try await replay.run("report", "misrouted", "--format", "json")
        #expect(report.isSuccess && !report.output.contains("\"bounce\""), "\(report)")
        let shown = try await replay.run("outbox", "list", "--json")
        #expect(
            shown.output.contains("\"cause\":\"letter\"") && shown.output.contains("\"subject\":\"Q3\""), "\(shown)")
    }

    private static func withStore<Value>(
        _ replay: ReplayStore, _ body: (FundStore) async throws -> Value
    ) async throws -> Value {
        let store = try FundStore.open(at: replay.store, mode: .existing)
        defer { try? store.close() }
        return try await body(store)
    }

    private static func configure(
        _ store: ReplayStore, _ dovecot: DovecotServer, _ submission: SubmissionServer
    ) async throws {
        var mailbox = try MailboxSettings("funds", at: dovecot, user: user)
        mailbox.lines = ["trust: {require: none}"]
        try store.configure(
            mailbox,
            others: """
                smtp:
                  url: smtps://localhost:\(submission.port)
                  user: ann
                  password: sesame
                  tls_ca_file: \(try TestAuthority.shared.get().caFile)
                  from: Fundmail <funds@corp.example>
                """)
    }
}
