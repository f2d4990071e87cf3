import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Each person's feed of changes has what concerns them, in numbers of its own.
@Suite struct FeedTests {
    private static func fill(_ harness: LibraryHarness) async throws -> (ann: FileEntry, bob: FileEntry) {
        let bob = try await harness.store.library.addFile(
            try harness.upload("his"),
            at: FileTarget("same.txt", in: LibraryPlace(fund: harness.bobsFund.id), ifTaken: .refuse),
            of: harness.bob.id)
        return (try await harness.put("same.txt", "hers"), bob)
    }

    /// A feed is written by no change of another's library, whatever it is.
    @Test func holdsNothingOfAnother() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, bob) = (harness.store.library, harness.ann, harness.bob.id)
        let files = try await Self.fill(harness)
        try await harness.base.file("Subject: mail\n\nx", parts: [StoreHarness.Part(name: "a.txt", bytes: [1])])
        let (his, text) = (try await library.latestChange(of: bob), NoteText(title: "t", content: "c"))
        let steps: [(String, @Sendable () async throws -> Void)] = [
            ("a mail", { try await harness.base.file("Subject: more\n\ny") }),
            ("an upload", { try await harness.put("other.txt") }),
            ("a favourite", { try await library.setFavourite(true, .file(files.ann.id), of: ann) }),
            ("a new name", { try await harness.move(.file(files.ann.id), to: harness.top, named: "new.txt") }),
            ("a note", { _ = try await library.addNote(text, in: harness.top.fund, of: ann) }),
            ("a deletion", { try await library.delete(.file(files.ann.id), of: ann) }),
            ("a restored file", { _ = try await library.restore(.file(files.ann.id), of: ann) }),
            ("a renamed fund", { _ = try await library.renameFund(harness.top.fund, to: "F", of: ann) }),
            ("a deleted fund", { try await library.deleteFund(harness.top.fund, of: ann) }),
            ("a restored fund", { _ = try await library.restore(.fund(harness.top.fund), of: ann) }),
            ("a new fund", { _ = try await library.addFund("Second", of: ann) }),
        ]
        for (name, step) in steps {
            let before = try await library.latestChanges()
            try await step()
            #expect(try await library.latestChanges().people(since: before) == [ann], "\(name)")
        }
        #expect(try await library.latestChange(of: bob) == his)
        let items = try await library.changes(of: bob, after: nil, limit: 100).changes.map(\.item)
        #expect(Set(items) == [.fund(harness.bobsFund.id), .file(files.bob.id)])
        let hers = try await library.changes(of: ann, after: nil, limit: 100).changes.map(\.item)
        #expect(Set(hers).isDisjoint(with: items))
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Numbers go up by one in the order of the commits, and each item stands there once.
    @Test func numbersHaveNoGaps() async throws {
        let harness = try await LibraryHarness()
        let library = harness.store.library
        let first = try await library.latestChange(of: harness.ann).number
        var expected = first
        for name in ["a", "b", "c"] {
            let file = try await harness.put(name)
            expected += 1
            #expect(try await library.latestChange(of: harness.ann).number == expected)
            try await harness.move(.file(file.id), to: harness.top, named: "\(name) new")
            expected += 1
            #expect(try await library.latestChange(of: harness.ann).number == expected)
        }
        let page = try await library.changes(of: harness.ann, after: nil, limit: 100)
        let numbers = page.changes.map(\.cursor.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
        #expect(Set(page.changes.map(\.item)).count == page.changes.count)
        let isAllTold = try harness.store.connection.read("look") { try !$0.exists("SELECT 1 FROM change_due") }
        #expect(isAllTold)
    }

    /// All members are told of a change, a favourite is told to the one who has it, and who is no member sees nothing.
    @Test func allMembersAreTold() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, bob) = (harness.store.library, harness.ann, harness.bob.id)
        let files = try await Self.fill(harness)
        try harness.store.connection.write("add a member") { db in
            try db.execute("INSERT INTO fund_member VALUES (?, ?, 'guest')", [bob, harness.top.fund])
        }
        var before = try await library.latestChanges()
        try await harness.move(.file(files.ann.id), to: harness.top, named: "shared.txt")
        #expect(try await library.latestChanges().people(since: before) == [ann, bob])
        #expect(try await library.file(files.ann.id, of: bob).name == "shared.txt")
        #expect(Set(try await library.funds(of: bob).map(\.id)) == [harness.bobsFund.id, harness.top.fund])

        before = try await library.latestChanges()
        try await library.setFavourite(true, .file(files.ann.id), of: ann)
        #expect(try await library.latestChanges().people(since: before) == [ann])
        #expect(try await !library.file(files.ann.id, of: bob).isFavourite)

        try harness.store.connection.write("remove a member") { db in
            try db.execute("DELETE FROM fund_member WHERE user_id = ? AND fund_id = ?", [bob, harness.top.fund])
        }
        #expect(await failure { _ = try await library.file(files.ann.id, of: bob) } == .notFound)
        #expect(try await library.funds(of: bob).map(\.id) == [harness.bobsFund.id])
    }

    /// A folder that goes into a fund of which a person is no member leaves their feed with all that is in it, and
    /// comes again when it goes back. A member of both funds is told of a change.
    @Test func whatGoesElsewhereIsGone() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, bob) = (harness.store.library, harness.ann, harness.bob.id)
        let folder = try await harness.folder("folder")
        let file = try await harness.put("a.txt", in: harness.place(folder))
        let second = try await library.addFund("Second", of: ann)
        try harness.store.connection.write("add a member") { db in
            try db.execute("INSERT INTO fund_member VALUES (?, ?, 'guest')", [bob, harness.top.fund])
        }
        let items: Set = [LibraryItemID.folder(folder.id), .file(file.id)]
        func told(_ user: User.ID, after cursor: ChangeCursor) async throws -> [Bool: Set<LibraryItemID>] {
            let changes = try await library.changes(of: user, after: cursor, limit: 100).changes
            return Dictionary(grouping: changes, by: \.isDeleted).mapValues { Set($0.map(\.item)) }
        }
        // Nothing of it was in his feed before he was a member.
        var (hers, his) = (try await library.latestChange(of: ann), try await library.latestChange(of: bob))
        let elsewhere = LibraryPlace(fund: second.id)
        try await harness.move(.folder(folder.id), to: elsewhere)
        #expect(try await told(bob, after: his) == [:])
        #expect(try await told(ann, after: hers) == [false: items])

        try await harness.move(.folder(folder.id), to: harness.top)
        #expect(try await told(bob, after: his) == [false: items])
        (hers, his) = (try await library.latestChange(of: ann), try await library.latestChange(of: bob))
        try await harness.move(.folder(folder.id), to: elsewhere)
        #expect(try await told(bob, after: his) == [true: items])
        #expect(try await told(ann, after: hers) == [false: items])
        #expect(await failure { _ = try await library.file(file.id, of: bob) } == .notFound)
        try await harness.move(.folder(folder.id), to: harness.top)
        #expect(try await told(bob, after: his) == [false: items])
        // The fund itself did not change since he is a member.
        let findings = try await harness.store.maintenance.verify().findings.map(\.detail)
        #expect(findings == ["fund \(harness.top.fund) is not in the feed of each member of its fund"])
        try harness.store.connection.write("complete feeds") { db in
            for kind in ItemKind.allCases { try ChangeFeed.complete(db, kind) }
        }
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// Marks are of the person who set them; what a guest writes and deletes is of the owner of the fund.
    @Test func aGuestActsInTheOwnersFund() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, bob, fund) = (harness.store.library, harness.ann, harness.bob.id, harness.top.fund)
        let folder = try await harness.folder("folder")
        let inside = try await harness.put("inside.txt", in: harness.place(folder))
        let file = try await harness.put("file.txt")
        try harness.addGuest()
        try await library.setFavourite(true, .file(file.id), of: bob)
        try await library.setFavourite(true, .fund(fund), of: ann)
        #expect(try await library.file(file.id, of: bob).isFavourite)
        #expect(try await !library.file(file.id, of: ann).isFavourite)
        #expect(try await !library.fund(fund, of: bob).isFavourite)

        try await library.noteVisit(to: fund, upTo: nil, of: bob)
        #expect(try await library.fundSummary(fund, of: ann).newFileCount == 2)
        #expect(try await library.fundSummary(fund, of: bob).newFileCount == 0)

        let note = try await library.addNote(NoteText(title: "t", content: "c"), in: fund, of: bob)
        for item in [LibraryItemID.folder(folder.id), .file(file.id)] { try await library.delete(item, of: bob) }
        #expect(try await library.note(note.id, of: ann).text.title == "t")
        #expect(try await library.trash(of: bob, PageQuery(limit: 10)).items.isEmpty)
        #expect(try await library.trash(of: ann, PageQuery(limit: 10)).items.count == 2)
        #expect(try await harness.store.maintenance.verify().findings == [])
        _ = try await library.restore(.folder(folder.id), of: ann)
        #expect(try await library.file(inside.id, of: bob).name == "inside.txt")
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// A fund with more than is published at once goes to another person: all of it leaves one feed and comes into the
    /// other, in numbers without gaps.
    @Test func manyChangesAtOnce() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, bob) = (harness.store.library, harness.ann, harness.bob.id)
        let file = try await harness.put("a.txt")
        let count = 2 * Int(ChangeFeed.pieceCount) + 7
        let large = try await library.addFund("Large", of: ann)
        var before = try await library.latestChange(of: ann)
        try harness.store.connection.write("fill") { db in
            try db.execute(
                """
                INSERT INTO file (fund_id, name, name_key, blob_id, size, content_type, created_at, modified_at)
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                    SELECT ?2, 'file ' || i, 'file ' || i, blob_id, size, content_type, created_at, modified_at
                    FROM n JOIN file ON file.id = ?3
                """, [count, large.id, file.id])
            try ChangeFeed.note(db, all: .file, in: large.id)
        }
        var after = try await library.latestChange(of: ann)
        #expect(after.number == before.number + Int64(count))
        let his = try await library.latestChange(of: bob)
        before = after
        try await harness.store.administration.giveFund(large.id, to: bob, actor: "t")
        after = try await library.latestChange(of: ann)
        #expect(after.number == before.number + Int64(count) + 1)
        #expect(try await library.latestChange(of: bob).number == his.number + Int64(count) + 1)
        func read(_ user: User.ID, after start: ChangeCursor) async throws -> [ChangePage.Change] {
            var (changes, cursor, hasMore): ([ChangePage.Change], ChangeCursor, Bool) = ([], start, true)
            while hasMore {
                let page = try await library.changes(of: user, after: cursor, limit: 1000)
                changes += page.changes
                (cursor, hasMore) = (page.cursor, page.hasMore)
            }
            return changes
        }
        let (left, came) = (try await read(ann, after: before), try await read(bob, after: his))
        #expect(left.count == count + 1 && left.allSatisfy(\.isDeleted))
        #expect(came.count == count + 1 && !came.contains(where: \.isDeleted))
        #expect(Set(left.map(\.item)) == Set(came.map(\.item)))
        let isAllTold = try harness.store.connection.read("look") { try !$0.exists("SELECT 1 FROM change_due") }
        #expect(isAllTold)
    }

    /// The owner is a member, whatever becomes of the fund; memberships that are damaged are made anew.
    @Test func ownersAreMembers() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, bob) = (harness.store, harness.ann, harness.bob.id)
        func members() throws -> [String] {
            try store.connection.read("look") {
                try $0.values(
                    "SELECT user_id || ' ' || fund_id || ' ' || role FROM fund_member ORDER BY fund_id, user_id")
            }
        }
        let second = try await store.library.addFund("Second", of: ann)
        try await store.administration.giveFund(second.id, to: bob, actor: "t")
        let all = [
            "\(ann) \(harness.top.fund) owner", "\(bob) \(harness.bobsFund.id) owner", "\(bob) \(second.id) owner",
        ]
        #expect(try members() == all)
        #expect(await failure { _ = try await store.library.fund(second.id, of: ann) } == .notFound)
        for damage in [
            "UPDATE fund_member SET user_id = \(ann) WHERE fund_id = \(second.id)",
            "DELETE FROM fund_member WHERE fund_id = \(second.id)",
            "INSERT INTO fund_member VALUES (\(ann), \(second.id), 'owner')",
        ] {
            try store.connection.write("damage", .reserve) { try $0.run(script: damage) }
            #expect(try await !store.maintenance.verify().isSound, "\(damage)")
            #expect(try await store.maintenance.verify(repairing: KnownParts([])).isSound, "\(damage)")
            #expect(try members() == all, "\(damage)")
            #expect(try await store.maintenance.verify().findings == [], "\(damage)")
        }
    }
}
