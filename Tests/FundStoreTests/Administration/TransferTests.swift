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
        #expect(try await store.administration.giveFund(fund, to: newOwner.id, actor: "t"))
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

    /// To both it is told: to one that it is gone, with what they had not read yet, to the other that it is there.
    @Test func clientsOfBothLearnOfIt() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.top.fund)
        let ids = try await OwnershipTests.belongings(harness)
        let newOwner = try await Self.newOwner(harness)
        let known = try await library.latestChange(of: ann)
        let libraries = try await library.changedLibraries(after: nil)
        let unread = try await harness.put("unread").id
        try await harness.store.administration.giveFund(fund, to: newOwner.id, actor: "t")

        #expect(try await library.changedLibraries(after: libraries.number).owners == [ann, newOwner.id])
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
        let before = try await harness.store.library.changeCounter()
        // Bob has a Fund1 of his own; an alias counts as well.
        #expect(await failure { try await store.giveFund(fund, to: harness.bob.id, actor: "t") } == .alreadyExists)
        #expect(await failure { try await store.giveFund(fund, to: User.ID(999), actor: "t") } == .notFound)
        #expect(await failure { try await store.giveFund(Fund.ID(999), to: newOwner.id, actor: "t") } == .notFound)
        #expect(await failure { try await store.giveFund(fund, to: newOwner.id, actor: newOwner.email) } == .conflict)
        #expect(try await store.giveFund(fund, to: harness.ann, actor: "t") == false)
        try await store.changeUser(newOwner.id, UserChange(isDisabled: true), actor: "t")
        #expect(await failure { try await store.giveFund(fund, to: newOwner.id, actor: "t") } == .conflict)
        #expect(try await harness.store.library.changeCounter() == before)
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
