import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Messages of another size than the server announces: nothing is lost, whichever of the two is wrong.
@Suite struct SizeMismatchTests {
    private static let placeholder =
        "From: System Administrator <root@localhost>\\r\\nSubject: message unavailable\\r\\n\\r\\n"
        + "This message is no longer available on the server.\\r\\n"

    /// A mailbox of `messages.txt` with rules before the usual ones.
    private static func harness(_ rules: String, isPOP3: Bool, after: MailboxAccess.After = .delete) throws
        -> HostileHarness
    {
        let name = isPOP3 ? "pop3" : "imap"
        let script = try ServerScript(
            "\(rules)\nINCLUDE \(name)-login.txt\nINCLUDE \(name)-mailbox.txt\n", including: HostileHarness.folder)
        return try HostileHarness(script, isPOP3 ? .pop3 : .imap, after: after)
    }

    /// Rules by which the second message comes as this text, in `S|` form of `bytes` octets: always, or once and then
    /// as it is.
    private static func second(_ text: String, bytes: Int, word: String, isPOP3: Bool) -> String {
        if isPOP3 { return "\(word) RETR 2\nS| +OK\\r\\n\(text).\\r\\n\nEND" }
        let fetch = "S| * 2 FETCH (UID 8 BODY[] {\(bytes)}\\r\\n\(text))\\r\\n"
        let others = { (number: Int, name: String) in "S: * \(number) FETCH (UID \(number + 6) BODY[] {@\(name)})" }
        return """
            \(word) * UID FETCH 7:9 (UID BODY.PEEK[])
            \(others(1, "one"))
            \(fetch)
            \(others(3, "three"))
            S: $tag OK fetched
            END
            ON * UID FETCH 7,9 (UID BODY.PEEK[])
            \(others(1, "one"))
            \(others(3, "three"))
            S: $tag OK fetched
            END
            \(word == "ONCE" ? "ONCE * UID FETCH 99 *" : "ON * UID FETCH 8 (UID BODY.PEEK[])")
            \(fetch)
            S: $tag OK fetched
            END
            """
    }

    private static func asked(_ lines: some Sequence<String>) -> [String] {
        lines.filter { $0.contains("BODY.PEEK[]") || $0.hasPrefix("RETR") }
    }

    private static let short = "Subject: [Fund1] t\\r\\n"
    private static let shortBytes = 20

    /// Shorter than announced each time: asked for twice, taken in with the mark, and never again asked for or deleted.
    @Test(arguments: [false, true])
    func isTakenInOnceAndStaysOnTheServer(isPOP3: Bool) async throws {
        let rules = Self.second(Self.short, bytes: Self.shortBytes, word: "ON", isPOP3: isPOP3)
        let harness = try Self.harness(rules, isPOP3: isPOP3)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        let ledger = harness.mailbox.ledger
        #expect(poll.error == nil && poll.failures.isEmpty && poll.count == 3, "\(poll)")
        #expect(poll.notices == [.sizeMismatch(count: 1)], "\(poll.notices)")
        let place = isPOP3 ? "beta" : "100/8"
        #expect(ledger.kept.filter(\.hasSizeMismatch).map(\.place) == [place])
        #expect(ledger.kept.first { $0.place == place }?.size == Int64(Self.shortBytes))
        let number = isPOP3 ? 2 : 8
        #expect(harness.deletions == (isPOP3 ? [1, 3] : [7, 9]), "\(harness.deletions)")
        let lines = harness.server.lines
        #expect(Self.asked(lines).filter { $0.contains(" \(number)") || $0.contains("7:9") }.count == 2, "\(lines)")

        let again = try await harness.mailbox.poll()
        #expect(again.error == nil && again.notices.isEmpty && again.failures.isEmpty, "\(again)")
        let newly = Self.asked(harness.server.lines.dropFirst(lines.count))
        #expect(!newly.contains { $0.hasSuffix(" 2") || $0.contains(" 8 ") || $0.contains("7:9") }, "\(newly)")
        #expect(!harness.deletions.contains(number))
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// Courier answers so while it cannot open the file; the second time it can.
    @Test(arguments: [false, true], [placeholder, short])
    func isRightTheSecondTime(isPOP3: Bool, text: String) async throws {
        let bytes = text == Self.short ? Self.shortBytes : 129
        let harness = try Self.harness(Self.second(text, bytes: bytes, word: "ONCE", isPOP3: isPOP3), isPOP3: isPOP3)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures.isEmpty && poll.notices.isEmpty, "\(poll)")
        #expect(harness.mailbox.ledger.messages == Set(harness.messages.values))
        #expect(!harness.mailbox.ledger.kept.contains(where: \.hasSizeMismatch) && harness.deletions.count == 3)
    }

    /// It is none of the user's messages, even where the server announces its size: nothing is taken in, and the next
    /// run asks again.
    @Test func thePlaceholderIsNoMessage() async throws {
        let listing = """
            ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)
            S: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE @size(one))
            S: * 2 FETCH (UID 8 FLAGS () RFC822.SIZE 129)
            S: * 3 FETCH (UID 9 FLAGS () RFC822.SIZE @size(three))
            S: $tag OK listed
            END

            """
        for listing in ["", listing] {
            let rules = listing + Self.second(Self.placeholder, bytes: 129, word: "ON", isPOP3: false)
            let harness = try Self.harness(rules, isPOP3: false)
            defer { harness.server.stop() }
            for _ in 1...2 {
                let poll = try await harness.mailbox.poll()
                #expect(poll.error == nil && poll.failures == [.messageUnavailable], "\(poll)")
            }
            #expect(harness.mailbox.ledger.messages == Set(["one", "three"].map { harness.messages[$0]! }))
            #expect(!harness.deletions.contains(8))
        }
    }

    /// Also where each answer is another: the second is taken in with the mark, once, and the server's copy stays.
    @Test func isTakenInWhereEachAnswerIsAnother() async throws {
        let first = Self.second(Self.short, bytes: Self.shortBytes, word: "ONCE", isPOP3: false)
        let rules =
            first + "\nON * UID FETCH 8 (UID BODY.PEEK[])\nS: * 2 FETCH (UID 8 BODY[] {@one})\nS: $tag OK fetched\nEND"
        let harness = try Self.harness(rules, isPOP3: false)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.failures.isEmpty && poll.count == 3, "\(poll)")
        #expect(poll.notices == [.sizeMismatch(count: 1)], "\(poll.notices)")
        #expect(harness.mailbox.ledger.kept.filter(\.hasSizeMismatch).map(\.place) == ["100/8"])
        let again = try await harness.mailbox.poll()
        #expect(again.error == nil && again.notices.isEmpty, "\(again)")
        #expect(harness.mailbox.ledger.kept.count(where: \.hasSizeMismatch) == 1)
        #expect(!harness.deletions.contains(8))
    }

    /// When the server mends what it announces, the message counts as new, is recognised by its bytes, and the server
    /// is told.
    @Test func isSettledWhenTheServerMendsTheSize() async throws {
        let wrong = """
            ONCE * UID FETCH 1:* (UID FLAGS RFC822.SIZE)
            S: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE 20071)
            S: $tag OK listed
            END
            """
        let harness = try Self.harness(wrong, isPOP3: false)
        defer { harness.server.stop() }
        #expect(try await harness.mailbox.poll().count == 1 && harness.deletions.isEmpty)
        let second = try await harness.mailbox.poll()
        #expect(second.error == nil && second.count == 3 && harness.deletions == [7, 8, 9], "\(second)")
    }

    /// Line ends counted as one octet, and a last one that is added: what GNU Mailutils announces. More than that is no
    /// line end.
    @Test(
        arguments: [
            (0, true), (-4, true), (-6, true), (-7, false), (1, false), (-60, false),
        ] as [(Int, Bool)], [false, true])
    func lineEndsMayBeCountedAsOne(_ size: (difference: Int, isRight: Bool), isPOP3: Bool) async throws {
        // "one" has four lines.
        let bytes =
            "Subject: [Fund1] one\r\nFrom: ann@example.com\r\n\r\nThe first message.\r\n".utf8.count + size.difference
        let rules =
            isPOP3
            ? "ON LIST\nS: +OK\nS: 1 \(bytes)\nS: .\nEND\nON UIDL\nS: +OK\nS: 1 alpha\nS: .\nEND"
            : "ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)\nS: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE \(bytes))\n"
                + "S: $tag OK listed\nEND"
        let harness = try Self.harness(rules, isPOP3: isPOP3)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && harness.mailbox.ledger.messages == [harness.messages["one"]!], "\(poll)")
        #expect(harness.deletions.isEmpty != size.isRight && poll.notices.isEmpty == size.isRight)
        #expect(Self.asked(harness.server.lines).count == (size.isRight ? 1 : 2))
    }

    /// Without UIDL only the bytes tell which message it is: it is fetched in each run, but told of only in the first.
    @Test func withoutUIDL() async throws {
        let rules = "ON UIDL\nS: -ERR unknown\nEND\n" + Self.second(Self.short, bytes: 0, word: "ON", isPOP3: true)
        let harness = try Self.harness(rules, isPOP3: true)
        defer { harness.server.stop() }
        let first = try await harness.mailbox.poll()
        #expect(first.error == nil && first.notices.contains(.sizeMismatch(count: 1)), "\(first)")
        let second = try await harness.mailbox.poll()
        #expect(second.error == nil && !second.notices.contains(.sizeMismatch(count: 1)), "\(second)")
        #expect(harness.mailbox.ledger.kept.filter(\.hasSizeMismatch).count == 1 && !harness.deletions.contains(2))
    }
}
