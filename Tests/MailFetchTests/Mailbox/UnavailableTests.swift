import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Messages that the server lists and does not give: those behind them come all the same, and the server is not asked
/// without end.
@Suite struct UnavailableTests {
    private static let imapRefusals = ["NO [UNAVAILABLE] its storage does not answer", "NO broken"]
    private static let popRefusals = ["-ERR [SYS/TEMP] its storage does not answer", "-ERR broken"]

    /// A mailbox of `count` messages, of which the first `bad` are not to be had. Asked for several at once, it gives
    /// none.
    private func imap(_ count: Int, bad: Int, _ refusal: String) throws -> HostileHarness {
        let listing = (1...count).map { "S: * \($0) FETCH (UID \($0) FLAGS () RFC822.SIZE @size(one))\n" }.joined()
        var text = "ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)\n\(listing)S: $tag OK listed\nEND\n"
        for uid in (bad + 1)..<max(count + 1, bad + 1) {
            text += "ON * UID FETCH \(uid) (UID BODY.PEEK[])\nS: * \(uid) FETCH (UID \(uid) BODY[] {@one})\n"
            text += "S: $tag OK fetched\nEND\n"
        }
        if count > 256, bad == 256 {
            text += "ON * UID FETCH 257:* (UID BODY.PEEK[])\n"
            for uid in 257...count { text += "S: * \(uid) FETCH (UID \(uid) BODY[] {@one})\n" }
            text += "S: $tag OK fetched\nEND\n"
        }
        text += "ON * UID FETCH * (UID BODY.PEEK[])\nS: $tag \(refusal)\nEND\n"
        let script = try ServerScript(
            text + "INCLUDE imap-login.txt\nINCLUDE imap-mailbox.txt\n", including: HostileHarness.folder)
        return try HostileHarness(script, .imap)
    }

    private func pop(_ count: Int, bad: Int, _ refusal: String) throws -> HostileHarness {
        func list(_ line: (Int) -> String) -> String {
            "S: +OK\n" + (1...count).map { "S: \($0) \(line($0))\n" }.joined() + "S: .\nEND\n"
        }
        var text = "ON UIDL\n" + list { "m\($0)" } + "ON LIST\n" + list { _ in "@size(one)" }
        for number in (bad + 1)..<max(count + 1, bad + 1) {
            text += "ON RETR \(number)\nS: +OK\nS| @text(one).\\r\\n\nEND\n"
        }
        text += "ON RETR *\nS: \(refusal)\nEND\n"
        let script = try ServerScript(
            text + "INCLUDE pop3-login.txt\nINCLUDE pop3-mailbox.txt\n", including: HostileHarness.folder)
        return try HostileHarness(script, .pop3)
    }

    @Test(arguments: imapRefusals + popRefusals, [(14, 12), (300, 256)])
    func thoseBehindCome(_ refusal: String, _ counts: (all: Int, bad: Int)) async throws {
        let isPOP3 = refusal.hasPrefix("-")
        let harness =
            try isPOP3 ? pop(counts.all, bad: counts.bad, refusal) : imap(counts.all, bad: counts.bad, refusal)
        defer { harness.server.stop() }
        for run in 1...2 {
            let lines = harness.server.lines.count
            let poll = try await harness.mailbox.poll()
            #expect(poll.error == nil && poll.count == counts.all - counts.bad, "run \(run): \(poll)")
            #expect(poll.failures == Array(repeating: .messageUnavailable, count: counts.bad))
            #expect(poll.waiting?.count == counts.bad)
            // Each is asked for again by the next run, but not without end.
            let asked = harness.server.lines.dropFirst(lines).filter {
                $0.contains("BODY.PEEK[]") || $0.hasPrefix("RETR")
            }
            #expect(asked.count > 10 && asked.count <= counts.all + 10, "run \(run): \(asked.count)")
        }
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// The usual mailbox of three messages, with rules before its own.
    private func three(_ rules: String, isPOP3: Bool = false) throws -> HostileHarness {
        let name = isPOP3 ? "pop3" : "imap"
        let script = try ServerScript(
            "\(rules)\nINCLUDE \(name)-login.txt\nINCLUDE \(name)-mailbox.txt\n", including: HostileHarness.folder)
        var harness = try HostileHarness(script, isPOP3 ? .pop3 : .imap)
        harness.mailbox.diesWithTheLine = false
        return harness
    }

    /// Dovecot answers a listing with sizes in this way when it cannot open the file of one message.
    @Test(arguments: ["S: * BYE Internal error occurred\nCUT", "S: $tag NO [SERVERBUG] Internal error occurred", "CUT"])
    func oneThatCannotBeListedHoldsUpNoOther(_ answer: String) async throws {
        let first = "S: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE @size(one))"
        let bodies = ["7:9", "8:9", "8"].map { set in
            let one = set == "7:9" ? "S: * 1 FETCH (UID 7 RFC822.SIZE @size(one) BODY[] {@one})\n" : ""
            return "ON * UID FETCH \(set) (UID RFC822.SIZE BODY.PEEK[])\n\(one)"
                + "S: * BYE Internal error occurred\nCUT\nEND\n"
        }
        let last = "ON * UID FETCH 9 (UID RFC822.SIZE BODY.PEEK[])\nS: * 3 FETCH (UID 9 RFC822.SIZE @size(three) "
        let harness = try three(
            """
            ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)
            \(first)
            \(answer)
            END
            ON * UID FETCH 1:* (UID FLAGS)
            S: * 1 FETCH (UID 7 FLAGS ())
            S: * 2 FETCH (UID 8 FLAGS ())
            S: * 3 FETCH (UID 9 FLAGS ())
            S: $tag OK listed
            END

            """ + bodies.joined() + last + "BODY[] {@three})\nS: $tag OK fetched\nEND\n")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures == [.messageUnavailable], "\(poll)")
        #expect(harness.mailbox.ledger.messages == Set(["one", "three"].map { harness.messages[$0]! }))
        #expect(harness.deletions.sorted() == [7, 9], "\(harness.deletions)")
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// It is asked for again with the message. Where it is never told, the original stays.
    @Test(arguments: ["RFC822.SIZE NIL", "RFC822.SIZE -1", ""], ["20", "NIL", "@size(two)"])
    func aSizeThatTheServerCannotTell(_ listed: String, _ told: String) async throws {
        let second = "S: * 2 FETCH (UID 8 RFC822.SIZE \(told) BODY[] {@two})\nS: $tag OK fetched\nEND\n"
        let harness = try three(
            """
            ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)
            S: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE @size(one))
            S: * 2 FETCH (UID 8 FLAGS ()\(listed.isEmpty ? "" : " ")\(listed))
            S: * 3 FETCH (UID 9 FLAGS () RFC822.SIZE @size(three))
            S: $tag OK listed
            END
            ON * UID FETCH 7:9 (UID RFC822.SIZE BODY.PEEK[])
            S: * 1 FETCH (UID 7 RFC822.SIZE @size(one) BODY[] {@one})
            S: * 3 FETCH (UID 9 RFC822.SIZE @size(three) BODY[] {@three})
            \(second)
            ON * UID FETCH 8 (UID RFC822.SIZE BODY.PEEK[])
            \(second)
            """)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        let isRight = told == "@size(two)"
        #expect(poll.error == nil && poll.failures.isEmpty && poll.count == 3, "\(poll)")
        #expect(poll.notices == (isRight ? [] : [.sizeMismatch(count: 1)]), "\(poll.notices)")
        #expect(harness.deletions.sorted() == (isRight ? [7, 8, 9] : [7, 9]), "\(harness.deletions)")
    }

    /// OK, and not a word of the message: gone, or said to be there and not given.
    ///
    /// - Parameter answers: to the question whether it is there.
    @Test(arguments: [
        ("S: * SEARCH\nS: $tag OK", true), ("S: * SEARCH 8\nS: $tag OK", false), ("S: $tag OK", false),
        ("S: $tag NO", false), ("S: $tag NO [UNAVAILABLE]", false), ("CUT", false),
        ("CUT\nEND\nON * UID SEARCH UID 8\nS: * SEARCH\nS: $tag OK", true),
    ])
    func whatDoesNotComeIsSaid(_ answers: String, isGone: Bool) async throws {
        let isLater = answers.hasPrefix("CUT\nEND")
        let harness = try three(
            """
            ON * UID FETCH 7:9 (UID BODY.PEEK[])
            S: * 1 FETCH (UID 7 BODY[] {@one})
            S: * 3 FETCH (UID 9 BODY[] {@three})
            S: $tag OK fetched
            END
            ON * UID FETCH 8 (UID BODY.PEEK[])
            S: * 2 EXPUNGE
            S: $tag OK fetched
            END
            \(isLater ? "ONCE" : "ON") * UID SEARCH UID 8
            \(answers)
            END
            """)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures == (isGone ? [] : [.messageUnavailable]), "\(poll)")
        #expect(poll.notices.contains(.vanished(count: 1)) == isGone, "\(poll.notices)")
        #expect(poll.waiting?.count == (isGone ? 0 : 1))
        #expect(harness.deletions.sorted() == [7, 9])
        let questions = harness.server.lines.count { $0.hasSuffix("UID SEARCH UID 8") }
        #expect(questions == (answers.hasPrefix("CUT") ? 2 : 1))
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    @Test func popGivesNoBytes() async throws {
        let harness = try three("ON RETR 2\nS: +OK\nS: .\nEND", isPOP3: true)
        defer { harness.server.stop() }
        for run in 1...2 {
            let poll = try await harness.mailbox.poll()
            #expect(poll.error == nil && poll.failures == [.messageUnavailable], "run \(run): \(poll)")
        }
        #expect(harness.mailbox.ledger.messages == Set(["one", "three"].map { harness.messages[$0]! }))
        #expect(!harness.deletions.contains(2))
    }

    /// A server that gives nothing at all is left alone.
    @Test(arguments: imapRefusals + popRefusals)
    func aServerThatGivesNothing(_ refusal: String) async throws {
        let isPOP3 = refusal.hasPrefix("-")
        let harness = try isPOP3 ? pop(1000, bad: 1000, refusal) : imap(1000, bad: 1000, refusal)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(
            poll.code == (refusal.contains("[") ? .throttled : .commandRefused), "\(poll.count) \(poll.code as Any)")
        let asked = harness.server.lines.filter { $0.contains("BODY.PEEK[]") || $0.hasPrefix("RETR") }
        #expect(asked.count < 500, "\(asked.count)")
    }
}
