import Foundation
import FundCore
import MailSend
import TestSupport
import Testing

/// Receipts on their whole way: a real Dovecot, `fundmail poll`, a real SMTP server, and a reader of mail of others.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable)) struct ReceiptTests {
    private static let user = "receipts"

    private struct Mail {
        var subject: String
        var from = "Ann Archer <ann@example.com>"
        var results = "dmarc=pass header.from=example.com"
        var fields: [String] = []

        /// The bytes that the server of the mailbox keeps.
        func bytes(_ number: Int) throws -> [UInt8] {
            let letter = OutgoingMessage(
                from: Correspondent(address: try OutgoingAddress("ann@example.com")),
                to: [Correspondent(address: try OutgoingAddress("funds@corp.example"))], subject: "x", text: "x",
                date: .now)
            // The date as programs write it.
            let written = String(decoding: try MessageWriter.data(of: letter).collect(), as: UTF8.self)
            let date = written.prefix { $0 != "\r\n" }
            let lines =
                ["Authentication-Results: mx.corp.example; \(results)", "\(date)", "From: \(from)"]
                + ["To: funds@corp.example", "Subject: \(subject)", "Message-ID: <\(number).receipts@example.com>"]
                + fields + [
                    "MIME-Version: 1.0", "Content-Type: multipart/mixed; boundary=b", "", "--b",
                    "Content-Type: text/plain", "", "Text \(number)", "--b",
                    "Content-Type: text/csv; name=q3.csv", "Content-Disposition: attachment; filename=q3.csv", "",
                    "a,b,\(number)", "--b--", "",
                ]
            return Array(lines.joined(separator: "\r\n").utf8)
        }
    }

    /// The parts of a letter that a person sees.
    private struct Reading: Decodable {
        var subject: String
        var text: String
        var ids: [[String]?]
        var defects: [String]
    }

    @Test func provedSendersHearOfTheirMail() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let (dovecot, submission) = (try DovecotServer.shared.get(), try SubmissionServer(.smtps))
        defer { submission.stop() }
        try Self.configure(store, dovecot, submission)
        var number = 0
        /// Delivers mail, polls, and gives the letters that went out, all of them.
        func letters(after mail: Mail...) async throws -> [[UInt8]] {
            for one in mail {
                number += 1
                try dovecot.deliver(one.bytes(number), to: Self.user)
            }
            let done = try await store.run("poll")
            try #require(done.isSuccess, "\(done)")
            return try submission.letters
        }

        let filed = try await letters(after: Mail(subject: "[fund1] Q3"))
        try #require(filed.count == 1)
        #expect(try submission.facts(1).from == "<>" && submission.facts(1).to == ["ann@example.com"])
        let first = try await Self.read(filed[0])
        #expect(first.subject == "Re: [fund1] Q3" && first.defects.isEmpty, "\(first)")
        #expect(first.text.hasPrefix("Your mail “[fund1] Q3” is filed in [Fund1].\n\nIts file:\n- q3.csv (5 B)\n"))
        #expect(first.text.contains("\n  https://funds.corp.example/library/files/"), "\(first.text)")
        #expect(first.ids[1] == ["<1.receipts@example.com>"] && first.ids[2] == ["<1.receipts@example.com>"])

        // One letter a day about one problem, and another one about another.
        let kept = try await letters(after: Mail(subject: "Q3"), Mail(subject: "Q4"))
        try #require(kept.count == 2)
        let second = try await Self.read(kept[1])
        #expect(second.text.contains("Your funds: [Alpha Growth]; [Fund1]"), "\(second.text)")
        #expect(second.text.hasPrefix("Your mail “Q3” is not filed yet: its subject names no fund in brackets."))
        #expect(second.ids[1] == ["<2.receipts@example.com>"], "\(second.ids)")
        let mistyped = try await letters(after: Mail(subject: "[Fund2]"))
        try #require(mistyped.count == 3)
        #expect(try await Self.read(mistyped[2]).text.contains("Did you mean [Fund1]?"))

        // Forged, of a list, of a program, of a stranger, and our own letter, which came back.
        let silent = try await letters(
            after: Mail(subject: "[Fund1] 1", results: "dmarc=fail header.from=example.com"),
            Mail(subject: "[Fund1] 2", fields: ["List-Id: <x.example.com>"]),
            Mail(subject: "[Fund1] 3", fields: ["Auto-Submitted: auto-generated"]),
            Mail(subject: "[Fund1] 4", fields: ["Return-Path: <>"]),
            Mail(subject: "[Fund1] 5", from: "eve@example.com"))
        #expect(silent.count == 3)
        let back = "Authentication-Results: mx.corp.example; dmarc=pass header.from=corp.example\r\n"
        try dovecot.deliver(Array(back.utf8) + filed[0], to: Self.user)
        #expect(try await letters().count == 3)
        let waiting = try await store.run("outbox", "list", "--json")
        #expect(waiting.isSuccess, "\(waiting)")

        // The desk files the first that waits: its sender hears of that.
        let assigned = try await store.run("misrouted", "assign", "1", "--fund", "Alpha Growth")
        try #require(assigned.isSuccess, "\(assigned)")
        let later = try await letters()
        try #require(later.count == 4)
        let last = try await Self.read(later[3])
        #expect(last.text.hasPrefix("Your mail “Q3” waited, and is filed in [Alpha Growth] now."), "\(last.text)")
        #expect(last.text.contains("Next time, begin the subject with [Alpha Growth]."))
    }

    private static func configure(
        _ store: ReplayStore, _ dovecot: DovecotServer, _ submission: SubmissionServer
    ) throws {
        var mailbox = try MailboxSettings("funds", at: dovecot, user: user)
        mailbox.lines = ["trust: {authserv_id: mx.corp.example, require: dmarc}", "receipts: all"]
        try store.configure(
            mailbox,
            others: """
                smtp:
                  url: smtps://localhost:\(submission.port)
                  user: ann
                  password: sesame
                  tls_ca_file: \(try TestAuthority.shared.get().caFile)
                  from: Fundmail <funds@corp.example>
                server: {public_url: "https://funds.corp.example"}
                """)
    }

    private static func read(_ letter: [UInt8]) async throws -> Reading {
        let folder = try TestFile.makeFolder("letter")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try TestFile.write(letter, to: "\(folder)/1.eml")
        let script = "\(PackageRoot.path)/Tests/MailSendTests/read_message.py"
        let output = try await offPool { try ToolRun.output(["python3", script, folder]) }
        return try JSONDecoder().decode(Reading.self, from: Data(output.utf8))
    }
}
