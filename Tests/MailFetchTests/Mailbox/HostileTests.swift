import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// Servers that break the protocol in every way: no wrong bytes are stored as a message, no message is deleted that
/// is not stored, and each wait has a limit.
struct HostileTests {
    private static let violation: HostileCase.Verdict = .refuses([.protocolViolation])
    private static let lost: HostileCase.Verdict = .refuses([.connectionLost])
    private static let slow: HostileCase.Verdict = .refuses([.timedOut])
    private static let bothOthers: HostileCase.Verdict = .stores(["two", "three"])

    static let imap: [HostileCase] = [
        HostileCase("imap-orderly", .orderly),
        HostileCase("imap-literal-one-more", violation),
        HostileCase("imap-literal-one-less", violation),
        HostileCase("imap-literal-negative", violation),
        HostileCase("imap-literal-2-63", .refuses([.protocolViolation, .messageUnavailable])),
        HostileCase("imap-literal-2-64", violation),
        HostileCase("imap-literal-larger-than-allowed", .refuses([.protocolViolation, .messageUnavailable])),
        HostileCase("imap-literal-empty-braces", violation),
        HostileCase("imap-literal-no-line-end", violation),
        HostileCase("imap-literal-8", .either),
        HostileCase("imap-literal-non-synchronizing", .either),
        HostileCase("imap-body-quoted", .either, allowed: ["Subject: [Fund1] a \"quoted\" one"]),
        HostileCase("imap-body-quoted-open", violation),
        HostileCase("imap-body-nil", bothOthers),
        HostileCase("imap-body-empty", bothOthers),
        HostileCase("imap-body-missing", .orderly),
        HostileCase("imap-body-without-uid", violation),
        HostileCase("imap-body-of-another-section", .refuses([.messageUnavailable])),
        HostileCase("imap-body-piece", violation),
        HostileCase("imap-body-twice-in-one", violation),
        HostileCase("imap-uid-never-asked", violation),
        HostileCase("imap-uid-twice", violation),
        HostileCase("imap-uid-zero", violation),
        HostileCase("imap-uid-huge", violation),
        HostileCase("imap-out-of-order", .orderly),
        HostileCase("imap-one-byte-pieces", .orderly),
        HostileCase("imap-seven-byte-pieces", .orderly),
        HostileCase("imap-forged-tags", .orderly),
        HostileCase("imap-nul-in-answer", violation),
        HostileCase("imap-bare-line-ends", .either),
        HostileCase("imap-endless-line", violation),
        HostileCase("imap-endless-flags", violation),
        HostileCase("imap-endless-depth", violation),
        HostileCase("imap-endless-untagged", .orderly),
        HostileCase("imap-early-flood", violation),
        HostileCase("imap-garbage", violation),
        HostileCase("imap-empty-lines", .either),
        HostileCase("imap-continuation-unasked", .either),
        HostileCase("imap-tag-unknown", .either),
        HostileCase("imap-tag-of-login", .either),
        HostileCase("imap-bye-in-the-middle", lost),
        HostileCase("imap-bye-in-literal", lost),
        HostileCase("imap-cut-in-literal", lost),
        HostileCase("imap-cut-after-literal", lost),
        HostileCase("imap-cut-before-tag", lost),
        HostileCase("imap-reset-in-literal", lost),
        HostileCase("imap-fetch-refused", .orderly),
        HostileCase("imap-fetch-bad", .orderly),
        HostileCase("imap-one-unavailable", .stores(["one", "three"])),
        HostileCase("imap-expunged-during-fetch", .stores(["two", "three"])),
        HostileCase("imap-epoch-in-the-middle", lost),
        HostileCase("imap-size-lies", .leaves),
        HostileCase("imap-size-2-64", .either),
        HostileCase("imap-size-negative", .either),
        HostileCase("imap-listed-twice", .orderly),
        HostileCase("imap-listing-cut", lost),
        HostileCase("imap-listing-refused", .refuses([.commandRefused])),
        HostileCase("imap-no-uidvalidity", .refuses([.protocolViolation, .unsupported, .mailboxUnavailable])),
        HostileCase("imap-uidvalidity-zero", .refuses([.protocolViolation, .unsupported, .mailboxUnavailable])),
        HostileCase("imap-select-refused", .refuses([.mailboxUnavailable])),
        HostileCase("imap-select-bye", .refuses([.throttled, .connectionLost])),
        HostileCase("imap-throttled", .refuses([.throttled])),
        HostileCase("imap-exists-huge", .orderly),
        HostileCase("imap-store-refused", .refuses([.commandRefused])),
        HostileCase("imap-expunge-cut", lost),
        HostileCase("imap-expunge-forgotten", .orderly),
        HostileCase("imap-expunge-ignored", .refuses([.commandRefused])),
        HostileCase("imap-search-refused", .orderly),
        HostileCase("imap-greeting-bye", .refuses([.connectionLost, .protocolViolation, .loginRefused])),
        HostileCase("imap-greeting-garbage", slow, isHurried: true),
        HostileCase("imap-login-refused", .refuses([.loginRefused])),
        HostileCase("imap-challenge-refused", .orderly),
        HostileCase("imap-login-throttled", .refuses([.throttled])),
        HostileCase("imap-login-with-more", .orderly),
        HostileCase(
            "imap-greeting-endless", .refuses([.protocolViolation, .connectionLost, .timedOut]), isHurried: true),
        HostileCase("imap-greeting-silent", slow, isHurried: true),
        HostileCase("imap-greeting-drip", slow, isHurried: true),
        HostileCase("imap-login-silent", slow, isHurried: true),
        HostileCase("imap-login-drip", slow, isHurried: true),
        HostileCase("imap-literal-silent", slow, isHurried: true),
        HostileCase("imap-literal-drip", slow, isHurried: true),
    ]

    static let pop3: [HostileCase] = [
        HostileCase("pop3-orderly", .orderly),
        HostileCase("pop3-cut-in-message", lost),
        HostileCase("pop3-cut-before-dot", lost),
        HostileCase("pop3-cut-in-dot", lost),
        HostileCase("pop3-cut-after-dot-cr", lost),
        HostileCase("pop3-reset-in-message", lost),
        HostileCase("pop3-unstuffed-dot", violation),
        HostileCase("pop3-bare-lf-dot", .either, allowed: ["\(one)\n.\nDELE 3\r\n"]),
        HostileCase("pop3-longer-than-listed", .either, allowed: ["\(one)and more than was listed\r\n"]),
        HostileCase("pop3-shorter-than-listed", .either, allowed: ["Subject: [Fund1] o\r\n"]),
        HostileCase("pop3-retr-refused", bothOthers),
        HostileCase("pop3-retr-unavailable", bothOthers),
        HostileCase("pop3-retr-throttled", .refuses([.throttled])),
        HostileCase("pop3-top-unavailable", .stores(["one", "three"])),
        HostileCase("pop3-top-throttled", .refuses([.throttled])),
        HostileCase("pop3-endless-message", violation),
        HostileCase("pop3-endless-line", violation),
        HostileCase("pop3-endless-status", violation),
        HostileCase("pop3-one-byte-pieces", .orderly),
        HostileCase("pop3-garbage-status", violation),
        HostileCase("pop3-silent-in-message", slow, isHurried: true),
        HostileCase("pop3-drip-in-message", slow, isHurried: true),
        HostileCase("pop3-no-pipelining", .orderly),
        HostileCase("pop3-no-capa", .orderly),
        HostileCase("pop3-uidl-absent", .orderly),
        HostileCase("pop3-uidl-duplicate", .orderly),
        HostileCase("pop3-uidl-odd", .orderly),
        HostileCase("pop3-uidl-endless", violation, maxSentBytes: 50_000_000),
        HostileCase("pop3-list-refused", .refuses([.unsupported, .commandRefused])),
        HostileCase("pop3-list-odd", .stores(["one", "two", "three"])),
        HostileCase("pop3-list-cut", lost),
        HostileCase("pop3-dele-refused", .refuses([.commandRefused])),
        HostileCase("pop3-quit-refused", .refuses([.commandRefused, .throttled])),
        HostileCase("pop3-quit-cut", lost),
        HostileCase("pop3-login-refused", .refuses([.loginRefused])),
        HostileCase("pop3-in-use", .refuses([.inUse])),
        HostileCase("pop3-greeting-refused", .refuses([.connectionLost, .protocolViolation, .loginRefused])),
        HostileCase("pop3-greeting-drip", slow, isHurried: true),
    ]

    private static let one = "Subject: [Fund1] one\r\nFrom: ann@example.com\r\n\r\nThe first message.\r\n"

    @Test(arguments: imap + pop3)
    func isSurvived(_ hostile: HostileCase) async throws {
        let harness = try HostileHarness(hostile.transcript, after: hostile.after, isHurried: hostile.isHurried)
        defer { harness.server.stop() }
        let poll = try await harness.mailbox.poll()
        #expect(await harness.server.waitUntilIdle(), "the connection stays open")
        let ledger = harness.mailbox.ledger
        let known = Set(harness.messages.values).union(hostile.allowed.map { Array($0.utf8) })
        #expect(ledger.messages.isSubset(of: known), "stored, but never sent as a message")
        #expect(harness.deletions.count <= ledger.kept.count, "deleted, but not here: \(harness.deletions)")
        if hostile.isIMAP {
            let places = Set(ledger.kept.map(\.place))
            #expect(harness.deletions.allSatisfy { places.contains("100/\($0)") }, "deleted, but not here")
        }
        #expect(harness.server.record.sentBytes < hostile.maxSentBytes, "read \(harness.server.record.sentBytes) bytes")
        let codes = HostileHarness.codes(poll)
        switch hostile.verdict {
        case .orderly:
            #expect(codes.isEmpty && poll.failures.isEmpty, "\(poll)")
            #expect(ledger.messages == Set(["one", "two", "three"].compactMap { harness.messages[$0] }))
            #expect(harness.deletions.count == 3)
        case .leaves:
            #expect(codes.isEmpty && poll.failures.isEmpty && harness.deletions.isEmpty, "\(poll)")
            #expect(ledger.messages == Set(["one", "two", "three"].compactMap { harness.messages[$0] }))
        case .stores(let names):
            #expect(poll.error == nil, "\(poll)")
            #expect(ledger.messages == Set(names.compactMap { harness.messages[$0] }))
            #expect(harness.deletions.count == names.count)
        case .refuses(let expected): #expect(!codes.isDisjoint(with: expected), "\(poll)")
        case .either: break
        }
    }

    /// UIDLs that change their meaning (RFC 1939 §7), which takes several polls to see.
    @Test func aUIDLThatNamesAnotherMessage() async throws {
        let harness = try HostileHarness("pop3-uidl-reused", after: .keep)
        #expect(try await harness.mailbox.poll().count == 1)
        let second = try await harness.mailbox.poll()
        #expect(second.error == nil && second.count == 1)
        #expect(harness.mailbox.ledger.messages == Set([harness.messages["one"]!, harness.messages["two"]!]))
        #expect(try await harness.mailbox.poll().count == 0)
    }

    @Test func aUIDLThatWasGone() async throws {
        let harness = try HostileHarness("pop3-uidl-gone-and-back", after: .keep)
        #expect(try await harness.mailbox.poll().count == 1)
        #expect(try await harness.mailbox.poll().count == 0)
        #expect(try await harness.mailbox.poll().count == 1)
        #expect(harness.mailbox.ledger.messages == Set([harness.messages["one"]!, harness.messages["twin"]!]))
    }

    @Test func messagesUnderOtherNumbers() async throws {
        let harness = try HostileHarness("pop3-uidl-reordered", after: .keep)
        #expect(try await harness.mailbox.poll().count == 3)
        let second = try await harness.mailbox.poll()
        #expect(second.error == nil && second.count == 0)
    }

    /// An epoch that comes back names other messages than before, whatever their UIDs and sizes.
    @Test func anEpochThatComesBack() async throws {
        let selections = ["ONCE", "ONCE", "ON"].enumerated().map { index, word in
            """
            \(word) * EXAMINE *
            S: * 1 EXISTS
            S: * OK [UIDVALIDITY \(index == 1 ? 200 : 100)] epoch
            S: $tag OK [READ-ONLY] examined
            END
            ONCE * UID FETCH 7 (UID BODY.PEEK[])
            S: * 1 FETCH (UID 7 BODY[] {@\(["one", "one", "six"][index])})
            S: $tag OK fetched
            END
            """
        }
        let text = """
            \(selections.joined(separator: "\n"))
            ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)
            S: * 1 FETCH (UID 7 FLAGS () RFC822.SIZE @size(one))
            S: $tag OK listed
            END
            MESSAGE six
            Subject: [Fund1] six
            From: ann@example.com

            The first message.
            END
            INCLUDE imap-login.txt
            INCLUDE imap-mailbox.txt
            """
        let harness = try HostileHarness(ServerScript(text, including: HostileHarness.folder), .imap, after: .keep)
        defer { harness.server.stop() }
        for _ in 1...3 { #expect(try await harness.mailbox.poll().count == 1) }
        #expect(harness.mailbox.ledger.messages == Set(["one", "six"].map { harness.messages[$0]! }))
        #expect(try await harness.mailbox.poll().count == 0)
    }

    /// Who is held up does not hold up others, and a cancellation ends the wait at once.
    @Test func aServerThatHangsHoldsUpNobodyElse() async throws {
        let hanging = try HostileHarness("imap-literal-silent")
        let cancellation = Cancellation()
        let waiting = Task { [mailbox = hanging.mailbox] in try await mailbox.poll(cancellation: cancellation) }
        try await eventually { hanging.server.lines.contains { $0.contains("BODY.PEEK[]") } }
        let other = try HostileHarness("imap-orderly")
        #expect(try await other.mailbox.poll().error == nil)
        #expect(other.mailbox.ledger.messages.count == 3)
        let start = ContinuousClock.now
        cancellation.cancel()
        let poll = try await waiting.value
        #expect(poll.count == 0 && hanging.mailbox.ledger.kept.isEmpty && hanging.deletions.isEmpty)
        // The deadline of this wait is a minute.
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}
