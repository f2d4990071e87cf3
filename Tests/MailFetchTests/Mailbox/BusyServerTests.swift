import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Servers that refuse the login or the messages although both are in order: they are busy, or refuse this client.
@Suite struct BusyServerTests {
    private func mailbox(_ rules: String) throws -> HostileHarness {
        let script = try ServerScript(
            "\(rules)\nINCLUDE imap-login.txt\nINCLUDE imap-mailbox.txt\n", including: HostileHarness.folder)
        return try HostileHarness(script, .imap)
    }

    private func code(_ rules: String) async throws -> ConnectionError.Code? {
        let harness = try mailbox(rules)
        defer { harness.server.stop() }
        return try await harness.mailbox.poll().code
    }

    @Test(arguments: [
        "S: $tag NO [ALERT] Too many simultaneous connections. (Failure)",
        "S: $tag NO [ALERT] Account exceeded command or bandwidth limits. (Failure)",
        "S: $tag NO Login fail. The password is wrong, the login frequency limited, or the system is busy.",
        "S: * BYE Server Busy. Too many connections, please try again later.\nCUT",
        "S: $tag NO Server Unavailable. 15",
    ])
    func aLoginThatABusyServerRefusesIsTriedLater(_ answer: String) async throws {
        #expect(try await code("ON * LOGIN *\n\(answer)\nEND") == .throttled)
    }

    /// Exchange lets a token in whose user has no mailbox.
    @Test func aLoginWithoutAMailboxIsSaid() async throws {
        let answer = "S: $tag BAD User is authenticated but not connected.\nEND"
        #expect(try await code("ON * SELECT *\n\(answer)") == .accountUnavailable)
    }

    // MARK: Identification (RFC 2971)

    private static let announcing = "ON * CAPABILITY\nS: * CAPABILITY IMAP4rev1 UIDPLUS ID\nS: $tag OK done\nEND\n"
    private static let refusing = "S: $tag NO SELECT Unsafe Login. Please contact the provider\nEND\n"

    /// Commands among the lines that the server got, without tags.
    private func commands(_ harness: HostileHarness) -> [String] {
        harness.server.lines.map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }

    @Test(arguments: [
        "S: * ID (\"name\" \"x\")\nS: $tag OK done", "S: * ID NIL\nS: $tag OK", "S: $tag NO why", "S: $tag BAD",
    ])
    func theServerIsToldWhoAsks(_ answer: String) async throws {
        let harness = try mailbox(Self.announcing + "ON * ID *\n\(answer)\nEND")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
        let commands = commands(harness)
        let told = try #require(commands.firstIndex(of: "ID (\"name\" \"Fundmail\")"))
        let login = try #require(commands.firstIndex { $0.hasPrefix("LOGIN") })
        let selected = try #require(commands.firstIndex { $0.hasPrefix("SELECT") })
        #expect(login < told && told < selected)
    }

    /// It names what it knows only after the login: then the mailbox is asked for twice.
    @Test func aServerMayNameItLate() async throws {
        let harness = try mailbox(
            """
            ONCE * CAPABILITY
            S: * CAPABILITY IMAP4rev1
            S: $tag OK done
            END
            \(Self.announcing)ON * ID *
            S: $tag OK done
            END
            ONCE * SELECT *
            \(Self.refusing)
            """)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
    }

    @Test func aServerThatWantsMoreIsSaid() async throws {
        #expect(try await code("ON * SELECT *\n\(Self.refusing)") == .clientRefused)
        #expect(
            try await code(Self.announcing + "ON * ID *\nS: $tag OK\nEND\nON * SELECT *\n\(Self.refusing)")
                == .clientRefused)
    }

    // MARK: Nothing of what is there

    private static let popRules = "ON RETR *\nS: -ERR %\nEND\nON TOP *\nS: -ERR %\nEND"

    /// Nothing came and all was refused: that is no run in which all is well, however few they are.
    @Test(
        arguments: [("Server Busy", ConnectionError.Code.throttled), ("no such message", .commandRefused)],
        [true, false])
    func aMailboxThatGivesNothingIsNotInOrder(_ answer: (text: String, code: ConnectionError.Code), isPOP3: Bool)
        async throws
    {
        let name = isPOP3 ? "pop3" : "imap"
        let rules =
            isPOP3
            ? Self.popRules.replacing("%", with: answer.text)
            : "ON * UID FETCH * (UID BODY.PEEK[])\nS: $tag NO \(answer.text)\nEND"
        let script = try ServerScript(
            "\(rules)\nINCLUDE \(name)-login.txt\nINCLUDE \(name)-mailbox.txt\n", including: HostileHarness.folder)
        let harness = try HostileHarness(script, isPOP3 ? .pop3 : .imap)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.code == answer.code && poll.count == 0, "\(poll)")
        #expect(poll.failures == [.messageUnavailable, .messageUnavailable, .messageUnavailable])
        #expect(harness.deletions.isEmpty)
    }
}
