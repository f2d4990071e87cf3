import FundCore
import TestSupport
import Testing

@testable import MailFetch

/// Removing what was filed over connections that end in the middle of it.
@Suite struct ExpungeTests {
    /// - Parameter capabilities: beside IMAP4rev1.
    private static func harness(_ rules: String, capabilities: String) throws -> HostileHarness {
        let text = """
            ON * CAPABILITY
            S: * CAPABILITY IMAP4rev1 \(capabilities)
            S: $tag OK done
            END
            \(rules)
            INCLUDE imap-login.txt
            INCLUDE imap-mailbox.txt

            """
        var harness = try HostileHarness(ServerScript(text, including: HostileHarness.folder), .imap)
        harness.mailbox.diesWithTheLine = false
        return harness
    }

    private static func count(_ command: String, _ harness: HostileHarness) -> Int {
        harness.server.lines.count { $0.split(separator: " ").dropFirst().joined(separator: " ") == command }
    }

    /// The marks are set; nothing but this says that the messages are to go.
    @Test(arguments: ["EXPUNGE", "UID SEARCH DELETED"])
    func marksOutliveTheLine(_ lost: String) async throws {
        let harness = try Self.harness(
            """
            ONCE * \(lost)
            CUT
            END
            ON * EXPUNGE
            S: * 1 EXPUNGE
            S: * 1 EXPUNGE
            S: * 1 EXPUNGE
            S: $tag OK expunged
            END
            """, capabilities: "")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
        #expect(!poll.notices.contains(.leftMarkedDeleted(count: 3)), "\(poll.notices)")
        #expect(Self.count("UID STORE 7:9 +FLAGS.SILENT (\\Deleted)", harness) == 1)
        #expect(Self.count("EXPUNGE", harness) == (lost == "EXPUNGE" ? 2 : 1))
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// A server that removes nothing is found out all the same.
    @Test func theCheckOutlivesTheLine() async throws {
        let harness = try Self.harness(
            """
            ONCE * UID SEARCH DELETED
            CUT
            END
            ON * UID SEARCH DELETED
            S: * SEARCH 7 8 9
            S: $tag OK searched
            END
            """, capabilities: "UIDPLUS")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.code == .commandRefused && poll.count == 3, "\(poll)")
        #expect(Self.count("UID EXPUNGE 7:9", harness) == 2)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }
}
