import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The answers to users about the mail that they sent.
@Suite struct ReceivedTests {
    /// Keeps a message like routing: `user` is whom it takes for the sender, or whom the mail claims to be from.
    private func keep(
        _ harness: LibraryHarness, _ text: String, _ reason: Reason, of user: User?, tag: String? = nil
    ) async throws -> MisrouteRecord.ID {
        var message = try harness.base.message("Subject: \(text)\n\n\(text)", reason: reason)
        message.decision.user = user
        message.decision.tag = tag
        message.decision.suggestions = tag == nil ? [] : ["Fund1", "Other"]
        let stored = try await harness.store.mail.commit([try harness.base.stage(message)])[0]
        return try #require(stored.misrouteID)
    }

    private func resolve(
        _ harness: LibraryHarness, _ id: MisrouteRecord.ID, into fund: Fund, of user: User, sender: User? = nil
    ) async throws -> EmailSummary.ID {
        try #require(try await harness.base.assign(id, to: fund, of: user, sender: sender).stored.emailID)
    }

    private func received(_ harness: LibraryHarness, of user: User.ID? = nil) async throws -> [ReceivedMail] {
        try await harness.store.library.received(of: user ?? harness.ann, PageQuery()).items
    }

    @Test func saysWhatBecameOfEach() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.base.ann, harness.base.fund)
        #expect(try await received(harness).isEmpty)
        let filed = try #require(try await harness.base.file("Subject: filed\n\nx").emailID)
        var mail = try #require(try await received(harness).first)
        #expect(mail.outcome == .filed && mail.reason == nil && mail.resolution == nil)
        #expect(mail.email == filed && mail.fund == fund.id && mail.fundName == "Fund1")
        let id = try await keep(harness, "lost", .unknownFund, of: ann, tag: "Fnud")
        mail = try #require(try await received(harness).first)
        #expect(mail.outcome == .misrouted && mail.reason == .unknownFund && mail.tag == "Fnud")
        #expect(mail.suggestions == ["Fund1", "Other"] && mail.email == nil && mail.fund == nil)
        #expect(mail.subject?.hasPrefix("[Fund1] Subject: lost") == true)
        try await store.administration.reject(id, note: "private remark", actor: "root@example.com")
        mail = try #require(try await received(harness).first)
        #expect(mail.outcome == .rejected && mail.reason == .unknownFund)
        #expect(mail.resolution?.by == "root@example.com")
        let email = try await resolve(harness, id, into: fund, of: ann)
        mail = try #require(try await received(harness).first)
        #expect(mail.outcome == .filed && mail.reason == .unknownFund && mail.email == email)
        #expect(mail.resolution?.by == "root@example.com" && mail.fundName == "Fund1")
        #expect(try await received(harness).count == 2)
        // Where it is now, while it is there.
        let other = try await store.library.addFund("Other", of: ann.id)
        _ = try await store.library.moveEmail(email, to: other.id, of: ann.id)
        #expect(try await received(harness).first?.fundName == "Other")
        try await store.library.deleteFund(other.id, of: ann.id)
        try await store.library.deleteEmail(filed, of: ann.id)
        for mail in try await received(harness) {
            #expect(mail.outcome == .filed && mail.email == nil && mail.fund == nil && mail.fundName == nil)
        }
        _ = try await store.library.emptyTrash(of: ann.id)
        #expect(try await received(harness).count == 2)
    }

    /// Mail that claims to be from a user is not theirs, and their own tells nothing of other people's funds.
    @Test func showsOnlyVerifiedMail() async throws {
        let harness = try await LibraryHarness()
        let (ann, bob, fund) = (harness.base.ann, harness.bob, harness.base.fund)
        let forged = try await keep(harness, "forged", .unverifiedSender, of: ann)
        _ = try await keep(harness, "disabled", .disabledSender, of: ann)
        let stranger = try await keep(harness, "stranger", .unknownSender, of: nil)
        let again = try await keep(harness, "again", .unknownSender, of: nil)
        _ = try await keep(harness, "ambiguous", .ambiguousSender, of: nil)
        #expect(try await received(harness).isEmpty)
        // An administrator files what a stranger sent into Ann's fund: it is there, but was not sent by her.
        _ = try await resolve(harness, stranger, into: fund, of: ann)
        #expect(try await received(harness).isEmpty)
        // She has registered the address since, and routing found it.
        _ = try await resolve(harness, again, into: fund, of: ann, sender: ann)
        #expect(try await received(harness).map(\.outcome) == [.filed])
        _ = try await resolve(harness, forged, into: fund, of: ann)
        #expect(try await received(harness).count == 2)
        let lost = try await keep(harness, "to Bob", .noTag, of: ann)
        _ = try await resolve(harness, lost, into: harness.bobsFund, of: bob)
        let mail = try #require(try await received(harness).first { $0.reason == .noTag })
        #expect(mail.outcome == .filed && mail.email == nil && mail.fund == nil && mail.fundName == nil)
        #expect(mail.resolution != nil)
        #expect(try await received(harness, of: bob.id).isEmpty)
    }

    @Test func anotherCopyIsSaid() async throws {
        let harness = try await LibraryHarness()
        var message = try harness.base.message("Subject: x\n\ncopy", reason: .noTag)
        message.decision.user = harness.base.ann
        _ = try await harness.store.mail.commit([try harness.base.stage(message)])
        let email = try await harness.base.file("Received: c\nSubject: x\n\ncopy").emailID
        let found = try await received(harness)
        #expect(found.map(\.email) == [email, email])
        #expect(found.map(\.resolution?.by) == [nil, "fundmail"])
    }

    @Test(arguments: [1, 2, 3, 500]) func comesInPages(limit: Int) async throws {
        let harness = try await LibraryHarness()
        for number in 0..<4 {
            _ = try await harness.base.file("Subject: \(number)\n\n\(number)")
            _ = try await keep(harness, "kept \(number)", .noTag, of: harness.base.ann)
        }
        // Some in one second, and a clock that went back.
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE message SET received_at = 5000 - (id / 3) * 10")
            try db.execute(
                "UPDATE email SET received_at = (SELECT received_at FROM message WHERE id = email.message_id)")
        }
        let whole = try await received(harness)
        #expect(whole.count == 8)
        #expect(whole.map(\.receivedAt) == whole.map(\.receivedAt).sorted(by: >))
        var (found, cursor): ([ReceivedMail], String?) = ([], nil)
        repeat {
            let page = try await harness.store.library.received(
                of: harness.ann, PageQuery(limit: limit, cursor: cursor))
            #expect(page.items.count <= limit)
            found += page.items
            cursor = page.next
        } while cursor != nil && found.count < 20
        #expect(found == whole)
        await #expect {
            _ = try await harness.store.library.received(of: harness.ann, PageQuery(cursor: "x"))
        } throws: {
            ($0 as? StoreError)?.code == .invalid
        }
    }
}
