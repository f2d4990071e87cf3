import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store that had mail before fingerprints covered a message's identity alone.
@Suite struct EarlierFingerprintTests {
    private static let mail = """
        From: ann@example.com
        Date: Mon, 10 Nov 2025 09:12:33 +0100
        Message-ID: <1@example.com>
        Subject: [Fund1] Q3
        X-Mailer: Writer

        body
        """
    private static let copy = "Received: by another way\n" + mail + "\n"
    private static let byList = "List-Id: <team.lists.example.org>\n" + mail

    private func message(_ harness: StoreHarness, _ raw: String, reason: Reason? = nil) throws -> RoutedMessage {
        var message = try harness.message(raw, reason: reason)
        if case .message(var parsed) = message.parsed {
            parsed.header.messageID = "1@example.com"
            message.parsed = .message(parsed)
        }
        return message
    }

    private func file(_ harness: StoreHarness, _ raw: String, reason: Reason? = nil) async throws -> StoredMessage {
        let staged = try harness.stage(try message(harness, raw, reason: reason))
        return try await harness.store.mail.commit([staged])[0]
    }

    /// A store with the mail, as an earlier version left it.
    private func older(reason: Reason? = nil) async throws -> StoreHarness {
        let harness = try await StoreHarness()
        _ = try await file(harness, Self.mail, reason: reason)
        let earlier = try harness.store.mail.spool.earlierFingerprint(of: harness.spool(Self.mail))
        try harness.store.connection.write("go back") { db in
            for table in ["message", "email"] { try db.execute("UPDATE \(table) SET fingerprint = ?", [earlier]) }
            try StoreFingerprints.markEarlier(db)
        }
        try harness.reopen()
        return harness
    }

    @Test func aCopyOfEarlierMailIsRecognised() async throws {
        let harness = try await older()
        #expect(try await harness.store.mail.holds(message(harness, Self.copy)))
        #expect(try await file(harness, Self.copy).outcome == .duplicate)
        #expect(try await file(harness, Self.mail).outcome == .duplicate)
        #expect(try harness.count("email") == 1)
        // A message that only looks like it is another one.
        #expect(try await file(harness, Self.copy.replacing("body", with: "text")).outcome == .filed)
    }

    /// Its row has a fingerprint that covers all fields of the list: it is the raw message that says what it is.
    @Test func aCopyByAListOfEarlierMailIsRecognised() async throws {
        let harness = try await older()
        #expect(try await harness.store.mail.holds(message(harness, Self.byList)))
        #expect(try await file(harness, Self.byList).outcome == .duplicate)
        #expect(try await file(harness, "Sender: l@x.example\nReceived: y\n" + Self.byList).outcome == .duplicate)
        // Also one that would not be filed by itself.
        #expect(try await file(harness, "Errors-To: x\n" + Self.mail, reason: .unknownFund).outcome == .duplicate)
        #expect(try harness.count("email") == 1)
        for (old, new) in [("body", "text"), ("[Fund1] Q3", "[Fund1] Q4"), ("09:12:33", "09:12:34")] {
            let other = Self.byList.replacing(old, with: new)
            #expect(try await file(harness, other).outcome == .filed, "\(new)")
        }
    }

    /// Mail that cannot be compared any more is filed rather than lost.
    @Test(arguments: ["damage", "drop"]) func earlierMailWithoutItsBytesProvesNothing(_ loss: String) async throws {
        let harness = try await older()
        let digest = try harness.spool(Self.mail).digest
        if loss == "damage" {
            try harness.lose(digest)
        } else {
            try harness.store.connection.write("drop") {
                try $0.execute(
                    """
                    UPDATE message SET segment = NULL, record_offset = NULL, record_bytes = NULL, raw_dropped_at = 1
                    """)
            }
        }
        #expect(try await file(harness, Self.byList).outcome == .filed)
    }

    @Test func anEarlierEntryAtTheDeskIsRecognised() async throws {
        let harness = try await older(reason: .unknownFund)
        #expect(try await file(harness, Self.copy, reason: .unknownFund).outcome == .duplicate)
        #expect(try harness.count("misroute") == 1)
        let filed = try await file(harness, "Received: at last\n" + Self.copy)
        #expect(filed.outcome == .filed)
        let entry = try await harness.store.administration.misroute(1)
        #expect(entry.resolution == filed.emailID.map { .filed(emailID: $0) })
    }

    @Test func aNewStoreLooksOnce() async throws {
        let harness = try await StoreHarness()
        try harness.reopen()
        #expect(harness.store.log.lastEarlierMessage == nil)
        let message = try message(harness, Self.mail)
        #expect(try harness.stage(message).message.spooled.earlierFingerprint == nil)
        #expect(try await file(harness, Self.mail).outcome == .filed)
        #expect(try await file(harness, Self.byList).outcome == .duplicate)
    }

    /// Mail of other people need not be read twice for the sake of what is in an older store.
    @Test func onlyWhatMayBeThereIsReadTwice() async throws {
        let harness = try await older()
        var other = try harness.message(Self.copy)
        if case .message(var parsed) = other.parsed {
            parsed.header.messageID = "2@example.com"
            other.parsed = .message(parsed)
        }
        #expect(try harness.stage(other).message.spooled.earlierFingerprint == nil)
        #expect(try harness.stage(message(harness, Self.copy)).message.spooled.earlierFingerprint != nil)
    }

    /// A copy that was kept for another reason, as because it failed the trust check, hides none.
    @Test func aDoubtfulCopyStandsInForNoOther() async throws {
        let harness = try await StoreHarness()
        #expect(try await file(harness, Self.byList, reason: .unverifiedSender).outcome == .misrouted)
        #expect(try await file(harness, Self.mail, reason: .unknownFund).outcome == .misrouted)
        #expect(try await file(harness, Self.copy, reason: .unknownFund).outcome == .duplicate)
        #expect(try harness.count("misroute WHERE resolution IS NULL") == 2)
        #expect(try await file(harness, "Received: at last\n" + Self.mail).outcome == .filed)
        #expect(try harness.count("misroute WHERE resolution IS NULL") == 0)
    }
}
