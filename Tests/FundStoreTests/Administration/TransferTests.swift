import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Ann's fund becomes Cat's.
@Suite struct TransferTests {
    private static func newOwner(_ harness: LibraryHarness) async throws -> User {
        try await harness.store.administration.addUser(
            email: "cat@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
    }

    /// By the calls that `OwnershipTests` makes for a stranger: the former owner is one, the new owner is none.
    @Test func everythingGoesAlong() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        var ids = try await OwnershipTests.belongings(harness)
        try await store.library.setFavourite(true, .file(ids.file), of: ann)
        // It is indexed as hers.
        #expect(try await store.library.search(SearchQuery(text: "hello"), of: ann).items.count == 1)
        let newOwner = try await Self.newOwner(harness)
        #expect(try await store.administration.giveFund(fund, to: newOwner.id, actor: "t") == FundGift(isNew: true))
        for (name, call) in OwnershipTests.calls where name != "restore a fund" {
            let kind = await failure { [ids] in try await call(harness, ids, ann) }
            #expect(kind == .notFound, "\(name)")
        }
        #expect(try await store.library.funds(of: ann) == [])
        #expect(try await store.library.search(SearchQuery(text: "hello"), of: ann).items == [])
        #expect(try await store.library.deletedItems(of: ann).map(\.itemID) == [.fund(ids.deletedFund)])

        ids.own = LibraryPlace(fund: try await store.library.addFund("other", of: newOwner.id).id)
        let reading = [
            "fund", "children of a folder", "folder", "file", "properties", "emails", "emails with text", "email",
            "attachment", "notes", "note", "zipItems", "search", "restore a folder", "restore a file", "restoreEmail",
            "restoreNote",
        ]
        #expect(Set(reading).isSubset(of: OwnershipTests.calls.map(\.name)))
        for (name, call) in OwnershipTests.calls where reading.contains(name) {
            let kind = await failure { [ids] in try await call(harness, ids, newOwner.id) }
            #expect(kind == nil, "\(name)")
        }
        #expect(try await store.library.search(SearchQuery(text: "hello"), of: newOwner.id).items.isEmpty == false)
        // And back again.
        try await store.administration.giveFund(fund, to: ann, actor: "t")
        #expect(try await store.library.search(SearchQuery(text: "hello"), of: ann).items.isEmpty == false)
        #expect(try await store.library.search(SearchQuery(text: "hello"), of: newOwner.id).items == [])
        let favourites = try await store.library.favourites(of: newOwner.id, PageQuery()).items
        #expect(favourites.isEmpty)
        // It is not mail that they sent.
        #expect(try await store.library.received(of: newOwner.id, PageQuery()).items == [])
        #expect(try await store.maintenance.verify().isSound)
    }

    /// Mail that comes again is a duplicate also when its fund was given away: who sent it reads that it was filed, and
    /// that the fund has another owner, not which and whose.
    @Test(arguments: [false, true]) func whoSentItReadsThatItWasGivenAway(wasKept: Bool) async throws {
        let harness = try await LibraryHarness()
        let (store, base, raw) = (harness.store, harness.base, "Subject: figures\n\nx")
        if wasKept {
            var message = try base.message(raw, reason: .unknownFund)
            message.decision.user = base.ann
            let stored = try await store.mail.commit([try base.stage(message)])[0]
            let kept = try #require(stored.misrouteID)
            _ = try await base.assign(kept, to: base.fund, of: base.ann)
        } else {
            try await base.file(raw)
        }
        try await base.file("Subject: later\n\ny")
        let before = try await store.library.received(of: harness.ann, PageQuery()).items
        #expect(before.count == 2 && before.allSatisfy { !$0.isGivenAway && $0.fundName == "Fund1" })
        let newOwner = try await Self.newOwner(harness)
        _ = try await store.administration.giveFund(base.fund.id, to: newOwner.id, actor: "t")
        let copy = try base.message("Received: by another\nSubject: later\n\ny", place: "b.eml")
        #expect(try await store.mail.commit([try base.stage(copy)])[0].outcome == .duplicate)

        let mails = try await store.library.received(of: harness.ann, PageQuery()).items
        #expect(mails.map(\.subject) == before.map(\.subject))
        for mail in mails {
            #expect(mail.isGivenAway && mail.outcome == .filed)
            #expect(mail.email == nil && mail.fund == nil && mail.fundName == nil)
        }
        #expect(try await store.library.received(of: newOwner.id, PageQuery()).items == [])
        // Each page ends where the next begins.
        let first = try await store.library.received(of: harness.ann, PageQuery(limit: 1))
        let next = try await store.library.received(of: harness.ann, PageQuery(limit: 1, cursor: first.next))
        #expect(first.items + next.items == mails && next.next == nil)

        _ = try await store.administration.giveFund(base.fund.id, to: harness.ann, actor: "t")
        #expect(try await store.library.received(of: harness.ann, PageQuery()).items == before)
    }

    /// To both it is told: to one that it is gone, with what they had not read yet, to the other that it is there.
    @Test func clientsOfBothLearnOfIt() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.top.fund)
        let ids = try await OwnershipTests.belongings(harness)
        let newOwner = try await Self.newOwner(harness)
        let known = try await library.latestChange(of: ann)
        let libraries = try await library.latestChanges()
        let unread = try await harness.put("unread").id
        try await harness.store.administration.giveFund(fund, to: newOwner.id, actor: "t")

        #expect(try await library.latestChanges().people(since: libraries) == [ann, newOwner.id])
        #expect(try await library.latestChange(of: ann).number > known.number)
        var (gone, cursor, hasMore): ([ChangePage.Change], ChangeCursor?, Bool) = ([], known, true)
        while hasMore {
            let page = try await library.changes(of: ann, after: cursor, limit: 2)
            (gone, cursor, hasMore) = (gone + page.changes, page.cursor, page.hasMore)
        }
        let items: Set<LibraryItemID> = [
            .fund(fund), .folder(ids.folder), .file(ids.file), .email(ids.email), .note(ids.note), .file(unread),
        ]
        #expect(gone.allSatisfy(\.isDeleted) && Set(gone.map(\.item)).isSuperset(of: items))
        #expect(try await library.changes(of: ann, after: cursor, limit: 10).changes == [])

        let came = try await library.changes(of: newOwner.id, after: nil, limit: 100).changes
        #expect(Set(came.filter { !$0.isDeleted }.map(\.item)).isSuperset(of: items))

        // And back: what is there again has not departed.
        let last = try await library.latestChange(of: newOwner.id)
        try await harness.store.administration.giveFund(fund, to: ann, actor: "t")
        let back = try await library.changes(of: ann, after: cursor, limit: 100).changes
        #expect(Set(back.filter { !$0.isDeleted }.map(\.item)).isSuperset(of: items))
        let left = try await library.changes(of: newOwner.id, after: last, limit: 100).changes
        #expect(left.allSatisfy(\.isDeleted) && Set(left.map(\.item)).isSuperset(of: items))
    }

    @Test func refusesWhatCannotBe() async throws {
        let harness = try await LibraryHarness()
        let (store, fund) = (harness.store.administration, harness.top.fund)
        let newOwner = try await Self.newOwner(harness)
        let before = try await harness.store.library.latestChanges()
        // Bob has a Fund1 of his own; an alias counts as well.
        #expect(await failure { try await store.giveFund(fund, to: harness.bob.id, actor: "t") } == .alreadyExists)
        #expect(await failure { try await store.giveFund(fund, to: User.ID(999), actor: "t") } == .notFound)
        #expect(await failure { try await store.giveFund(Fund.ID(999), to: newOwner.id, actor: "t") } == .notFound)
        #expect(await failure { try await store.giveFund(fund, to: newOwner.id, actor: newOwner.email) } == .conflict)
        #expect(try await store.giveFund(fund, to: harness.ann, actor: "t") == FundGift(isNew: false))
        try await store.changeUser(newOwner.id, UserChange(isDisabled: true), actor: "t")
        #expect(await failure { try await store.giveFund(fund, to: newOwner.id, actor: "t") } == .conflict)
        #expect(try await harness.store.library.latestChanges() == before)
    }

    /// A message that was routed before is routed anew: its fund is not its sender's any more.
    @Test func mailThatIsUnderWayIsRoutedAnew() async throws {
        let harness = try await LibraryHarness()
        let message = try harness.base.message("a: b\n\nunder way")
        let staged = try harness.base.stage(message)
        let newOwner = try await Self.newOwner(harness)
        try await harness.store.administration.giveFund(harness.top.fund, to: newOwner.id, actor: "t")
        #expect(await failure { _ = try await harness.store.mail.commit([staged]) } == .stale)
        let directory = try harness.store.mail.directory()
        #expect(directory.funds(of: harness.ann).isEmpty)
        #expect(directory.funds(of: newOwner.id).map(\.aliases) == [["F1"]])
    }
}
