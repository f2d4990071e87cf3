import FundCore
import TestSupport
import Testing

@testable import MailConnection
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

    private static let expunge = """
        ON * EXPUNGE
        S: * 1 EXPUNGE
        S: * 1 EXPUNGE
        S: * 1 EXPUNGE
        S: $tag OK expunged
        END

        """

    private static func found(_ uids: String?) -> String {
        "ON * UID SEARCH DELETED\n\(uids.map { "S: * SEARCH \($0)\n" } ?? "")S: $tag OK searched\nEND\n"
    }

    /// The marks are set; nothing but this says that the messages are to go.
    @Test(arguments: ["EXPUNGE", "UID SEARCH DELETED"])
    func marksOutliveTheLine(_ lost: String) async throws {
        let harness = try Self.harness(
            "ONCE * \(lost)\nCUT\nEND\n" + Self.expunge + Self.found("7 8 9"), capabilities: "")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
        #expect(!poll.notices.contains { if case .leftMarkedDeleted = $0 { true } else { false } }, "\(poll.notices)")
        #expect(Self.count("UID STORE 7:9 +FLAGS.SILENT (\\Deleted)", harness) == 1)
        #expect(Self.count("EXPUNGE", harness) == (lost == "EXPUNGE" ? 2 : 1))
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// EXPUNGE removes all that is marked as deleted: it is sent only when a search finds no marks of other clients.
    @Test(arguments: [("7 8 9 12", 3), ("8 12", 1), ("12", nil), (nil, 3), ("", nil)] as [(String?, Int?)])
    func onlyWhatIsMarkedHereIsExpunged(_ uids: String?, left: Int?) async throws {
        let harness = try Self.harness(Self.expunge + Self.found(uids), capabilities: "")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.error == nil && poll.count == 3, "\(poll)")
        #expect(poll.notices == (left.map { [.leftMarkedDeleted(count: $0)] } ?? []))
        #expect(Self.count("EXPUNGE", harness) == 0)
        #expect(harness.server.record.problems.isEmpty, "\(harness.server.record.problems)")
    }

    /// Filed mail stays on the server, new mail comes all the same.
    @Test(arguments: ["UID SEARCH DELETED", "EXPUNGE", "UID EXPUNGE *"])
    func aRefusalIsToldOfTheCopies(_ refused: String) async throws {
        let isByUID = refused.hasPrefix("UID EXPUNGE")
        let first = isByUID ? "ONCE * \(refused)\nS: $tag OK expunged\nEND\n" : ""
        let harness = try Self.harness(
            first + "ON * \(refused)\nS: $tag NO not now\nEND\n" + Self.found("7 8 9"),
            capabilities: isByUID ? "UIDPLUS" : "")
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.code == .commandRefused && poll.count == 3, "\(poll)")
        #expect((poll.error as? ConnectionError)?.isOfServerCopies == true)
    }

    /// The UIDs mean other messages now.
    @Test(arguments: ["", "UIDPLUS"])
    func nothingIsExpungedInAnotherEpoch(_ capabilities: String) async throws {
        let select = { (epoch: Int, count: Int) in
            """
            \(epoch == 100 ? "ONCE" : "ON") * SELECT *
            S: * \(count) EXISTS
            S: * OK [PERMANENTFLAGS (\\Deleted \\Seen \\*)] all of them
            S: * OK [UIDVALIDITY \(epoch)] epoch
            S: $tag OK [READ-WRITE] selected
            END

            """
        }
        let harness = try Self.harness(
            "ONCE * UID SEARCH DELETED\nCUT\nEND\n" + select(100, 3) + select(200, 0) + Self.found("7 8 9"),
            capabilities: capabilities)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(poll.count == 3 && poll.notices.contains(.epochChanged), "\(poll)")
        #expect(Self.count("EXPUNGE", harness) == 0)
        #expect(Self.count("UID EXPUNGE 7:9", harness) == (capabilities.isEmpty ? 0 : 1))
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
