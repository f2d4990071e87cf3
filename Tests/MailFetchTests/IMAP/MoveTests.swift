import FundCore
import MailFetch
import TestSupport
import Testing

@testable import MailConnection
@testable import MailFetch

/// Moving what was filed at servers that name folders in their own way, refuse, or lose their answer.
@Suite struct MoveTests {
    /// - Parameter capabilities: beside IMAP4rev1 and UIDPLUS.
    private static func harness(_ rules: String, capabilities: String, folder: String = "Processed") throws
        -> HostileHarness
    {
        let text = """
            ON * CAPABILITY
            S: * CAPABILITY IMAP4rev1 UIDPLUS \(capabilities)
            S: $tag OK done
            END
            ON * NAMESPACE
            S: * NAMESPACE (("INBOX." ".")) NIL NIL
            S: $tag OK done
            END
            \(rules)
            INCLUDE imap-login.txt
            INCLUDE imap-mailbox.txt

            """
        return try HostileHarness(
            ServerScript(text, including: HostileHarness.folder), .imap, after: .move(folder: folder))
    }

    private static func commands(_ harness: HostileHarness, from start: Int = 0) -> [String] {
        harness.server.lines.dropFirst(start).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    private static func fetched(_ commands: [String]) -> [String] { commands.filter { $0.contains("BODY.PEEK[]") } }

    private static func rule(_ pattern: String, _ answer: String, once: Bool = false) -> String {
        "\(once ? "ONCE" : "ON") * \(pattern)\nS: $tag \(answer)\nEND\n"
    }

    /// Courier and Cyrus: every folder of a user begins with `INBOX.`. Made once, and subscribed to.
    @Test(arguments: [
        ("Processed", "INBOX.Processed"), ("INBOX.Processed", "INBOX.Processed"), ("Old/2026", "INBOX.Old.2026"),
    ])
    func aFolderIsMadeInTheNamespace(_ folder: String, _ name: String) async throws {
        let rules =
            Self.rule("UID MOVE 7:9 \"\(name)\"", "NO [TRYCREATE] none", once: true)
            + Self.rule("UID MOVE 7:9 \"\(name)\"", "OK moved") + Self.rule("CREATE \"\(name)\"", "OK made")
            + Self.rule("SUBSCRIBE \"\(name)\"", "OK subscribed")
        let harness = try Self.harness(rules, capabilities: "MOVE NAMESPACE", folder: folder)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
        let commands = Self.commands(harness)
        #expect(
            commands.count { $0.hasPrefix("UID MOVE") } == 2 && commands.contains("SUBSCRIBE \"\(name)\""),
            "\(commands)")
        #expect(commands.count { $0 == "NAMESPACE" } == 1)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// Said as it came; and the next run tries again without fetching anything.
    @Test(
        arguments: [
            ("[NOPERM] no", "[CANNOT] bad name", .commandRefused, "CANNOT"),
            ("[TRYCREATE] no", "[NOPERM] no", .commandRefused, "NOPERM"),
            ("[OVERQUOTA] full", nil, .overQuota, "OVERQUOTA"),
            ("[ALERT] You exceeded your mail quota", nil, .overQuota, "ALERT"),
            ("[LIMIT] too many", nil, .limitReached, "LIMIT"),
            ("[SERVERBUG] oops", nil, .commandRefused, "SERVERBUG"),
            ("no such thing", "nor that", .commandRefused, nil),
        ] as [(String, String?, ConnectionError.Code, String?)], ["MOVE", ""])
    func aRefusalIsToldAndNothingIsFetchedAgain(
        _ refusal: (said: String, ofCreate: String?, code: ConnectionError.Code, response: String?), _ move: String
    ) async throws {
        let verb = move.isEmpty ? "COPY" : "MOVE"
        let isDirect = ["[OVER", "[ALER", "[LIMI", "[SERV", "[NOPE"].contains { refusal.said.hasPrefix($0) }
        let rules =
            Self.rule("UID \(verb) *", "NO \(refusal.said)") + Self.rule("CREATE *", "NO \(refusal.ofCreate ?? "")")
            + "ON * EXAMINE \"INBOX.Processed\"\nS: $tag NO none\nEND\n"
            + "ON * UID FETCH 7:9 (UID RFC822.SIZE BODY.PEEK[HEADER])\nS: $tag OK none\nEND\n"
        let harness = try Self.harness(rules, capabilities: "NAMESPACE \(move)")
        defer { harness.server.stop() }
        for run in 1...2 {
            let start = harness.server.lines.count
            let poll = try await harness.mailbox.poll()
            let error = try #require(poll.error as? ConnectionError)
            let response = isDirect ? String(refusal.said.dropFirst().prefix { $0 != "]" }) : refusal.response
            #expect(error.code == refusal.code && error.responseCode == response, "\(error)")
            #expect(error.isOfServerCopies && !error.isTemporary)
            #expect(poll.count == (run == 1 ? 3 : 0) && poll.failures.isEmpty, "\(poll)")
            let commands = Self.commands(harness, from: start)
            #expect(Self.fetched(commands).isEmpty == (run == 2), "\(commands)")
            #expect(commands.contains { $0.hasPrefix("CREATE") } != isDirect, "\(commands)")
        }
        #expect(harness.deletions.isEmpty)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// Folders as a server without MOVE shows them after a COPY whose answer was lost: what is there is not copied
    /// again.
    private static func lostCopy(isDone: Bool) -> String {
        let header = { (uid: Int, name: String) in
            "S: * 1 FETCH (UID \(uid) RFC822.SIZE @size(\(name)) BODY[HEADER] {@\(name)})\n"
        }
        let originals = header(7, "one") + header(8, "two") + header(9, "three")
        let copies = isDone ? header(41, "one") + header(42, "two") : ""
        let sizes =
            isDone ? "S: * 1 FETCH (UID 41 RFC822.SIZE @size(one))\nS: * 2 FETCH (UID 42 RFC822.SIZE @size(two))\n" : ""
        return """
            ONCE * UID COPY 7:9 "INBOX.Processed"
            CUT
            END
            ON * UID FETCH 7:9 (UID RFC822.SIZE BODY.PEEK[HEADER])
            \(originals)S: $tag OK fetched
            END
            ON * EXAMINE "INBOX.Processed"
            S: * 2 EXISTS
            S: * OK [UIDVALIDITY 5] epoch
            S: $tag OK [READ-ONLY] examined
            END
            ON * UID FETCH 1:* (UID RFC822.SIZE)
            \(sizes)S: $tag OK listed
            END
            ON * UID FETCH 41:42 (UID RFC822.SIZE BODY.PEEK[HEADER])
            \(copies)S: $tag OK fetched
            END
            ON * UID COPY *
            S: $tag OK copied
            END

            """
    }

    /// Over the next connection, and in the next run.
    @Test(arguments: [true, false], [true, false])
    func aCopyWhoseAnswerWasLostIsNotRepeated(isDone: Bool, diesWithTheLine: Bool) async throws {
        var harness = try Self.harness(Self.lostCopy(isDone: isDone), capabilities: "NAMESPACE")
        defer { harness.server.stop() }
        harness.mailbox.diesWithTheLine = diesWithTheLine
        let first = try await harness.mailbox.poll()
        #expect(first.count == 3 && (first.error == nil || diesWithTheLine), "\(first)")
        if diesWithTheLine {
            let second = try await harness.mailbox.poll()
            #expect(second.error == nil && second.count == 0, "\(second)")
        }
        let copies = Self.commands(harness).filter { $0.hasPrefix("UID COPY") }.map { $0.split(separator: " ")[2] }
        #expect(copies == ["7:9", isDone ? "9" : "7:9"], "\(copies)")
        #expect(harness.deletions == [7, 8, 9])
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    @Test(
        arguments: [
            ("Processed", "INBOX.", ".", "INBOX.Processed"), ("inbox", "INBOX.", ".", "INBOX"), ("a/b", "", "/", "a/b"),
            ("INBOX/x", "INBOX.", ".", "INBOX.x"), ("a/b", "", nil, "a/b"), ("x", "mail/", "/", "mail/x"),
        ] as [(String, String, String?, String)])
    func foldersHaveTheServersNames(_ folder: String, _ prefix: String, _ delimiter: String?, _ name: String) {
        let namespace = IMAPNamespace(prefix: prefix, delimiter: delimiter)
        #expect(namespace.name(of: folder) == name)
    }

    @Test(
        arguments: [
            ("((\"INBOX.\" \".\")) NIL NIL", IMAPNamespace(prefix: "INBOX.", delimiter: ".")),
            ("((\"\" \"/\")(\"x\" \"/\")) NIL NIL", IMAPNamespace(prefix: "", delimiter: "/")),
            ("((\"\" NIL \"X-PARAM\" (\"a\"))) NIL NIL", IMAPNamespace(prefix: "", delimiter: nil)),
            ("NIL NIL NIL", nil),
        ] as [(String, IMAPNamespace?)])
    func namespacesAreRead(_ text: String, _ namespace: IMAPNamespace?) throws {
        var reader = IMAPResponseReader(bytes: .over(Array("* NAMESPACE \(text)\r\n".utf8)))
        #expect(try reader.next() == .namespace(namespace))
    }

    @Test func quotasAreRead() throws {
        var reader = IMAPResponseReader(
            bytes: .over(
                Array("* QUOTA \"\" (storage 60 512 MESSAGE 1 2)\r\n* QUOTA R ()\r\n* QUOTA \"ROOT\"\r\n".utf8)))
        let quota = ["STORAGE": IMAPQuota(used: 60, limit: 512), "MESSAGE": IMAPQuota(used: 1, limit: 2)]
        #expect(try [reader.next(), reader.next(), reader.next()] == [.quota(quota), .quota([:]), .quota([:])])
    }

    /// RFC 4314 §2.1.1: `d` stands there when only one of `t` and `e` is given.
    @Test(
        arguments: [
            ("lrswipkxtecdan", true, [true, true, true, true]), ("lrswipkxtcdan", true, [true, false, true, true]),
            ("lrwtd", false, [true, false, false, false]), ("lrcd", true, [false, false, false, false]),
            ("acdilrsw", false, [true, true, true, true]), ("lrs", false, [false, false, false, false]),
        ] as [(String, Bool, [Bool])])
    func rightsAreDivided(_ letters: String, _ isNew: Bool, _ expected: [Bool]) {
        let rights = MailboxRights(letters: letters, capabilities: isNew ? ["ACL", "RIGHTS=KXTE"] : ["ACL"])
        #expect([rights.mayMarkDeleted, rights.mayExpunge, rights.mayCreate, rights.mayInsert] == expected)
    }
}
