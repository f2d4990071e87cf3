import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Funds with counts, and what is new in them.
@Suite struct SummaryTests {
    private static let part = StoreHarness.Part(name: "came.pdf", bytes: [1])

    private func mail(_ harness: LibraryHarness, _ text: String, parts: [StoreHarness.Part] = []) async throws
        -> EmailSummary.ID
    {
        try #require(try await harness.base.file("Subject: \(text)\n\n\(text)", parts: parts).emailID)
    }

    private func summary(_ harness: LibraryHarness, _ fund: Fund.ID? = nil) async throws -> FundSummary {
        try await harness.store.library.fundSummary(fund ?? harness.base.fund.id, of: harness.ann)
    }

    private func visit(_ harness: LibraryHarness, upTo email: EmailSummary.ID? = nil) async throws -> FundSummary {
        try await harness.store.library.noteVisit(to: harness.base.fund.id, upTo: email, of: harness.ann)
        return try await summary(harness)
    }

    /// Files, emails, notes.
    private func counts(_ summary: FundSummary) -> [Int] {
        [summary.fileCount, summary.emailCount, summary.noteCount]
    }

    @Test func countsWhatIsThere() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        #expect(counts(try await summary(harness)) == [0, 0, 0])
        #expect(try await summary(harness).latestEmailAt == nil)
        let first = try await mail(harness, "1", parts: [Self.part])
        let second = try await mail(harness, "2")
        let folder = try await harness.folder("folder")
        let file = try await harness.put("in a folder", in: harness.place(folder))
        let note = try await library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann)
        _ = try await library.addNote(NoteText(title: "u", content: "c"), in: fund, of: ann)
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE email SET received_at = 1000 WHERE id = ?", [first])
            try db.execute("UPDATE email SET received_at = 2000 WHERE id = ?", [second])
        }
        #expect(counts(try await summary(harness)) == [2, 2, 2])
        #expect(try await summary(harness).latestEmailAt == 2000)
        try await library.deleteEmail(second, of: ann)
        try await library.deleteNote(note.id, unlessChangedSince: nil, of: ann)
        try await library.delete(.file(file.id), of: ann)
        #expect(counts(try await summary(harness)) == [1, 1, 1])
        #expect(try await summary(harness).latestEmailAt == 1000)
        // Items that are gone for good have marks still, which count no more than before.
        _ = try await library.emptyTrash(of: ann)
        #expect(counts(try await summary(harness)) == [1, 1, 1])
        let other = try await library.addFund("Other", of: ann)
        _ = try await library.moveEmail(first, to: other.id, of: ann)
        #expect(counts(try await summary(harness)) == [0, 0, 1])
        #expect(counts(try await summary(harness, other.id)) == [1, 1, 0])
        #expect(try await summary(harness, other.id).fund == library.fund(other.id, of: ann))
    }

    @Test func listsOnlyTheUsersFunds() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        for name in ["b", "a<b>{{x}}", "archived"] { _ = try await library.addFund(name, of: ann) }
        let archived = try #require(try await library.funds(of: ann).first { $0.name == "archived" })
        try await harness.store.administration.archiveFund(archived.id, actor: "t")
        _ = try await mail(harness, "1")
        let whole = try await library.fundSummaries(of: ann, PageQuery())
        #expect(whole.items.map(\.fund) == (try await library.funds(of: ann)))
        #expect(whole.items.map(\.emailCount).sorted() == [0, 0, 1])
        var (found, cursor): ([FundSummary], String?) = ([], nil)
        repeat {
            let page = try await library.fundSummaries(of: ann, PageQuery(limit: 1, cursor: cursor))
            found += page.items
            cursor = page.next
        } while cursor != nil && found.count < 10
        #expect(found == whole.items)
        let bobs = try await library.fundSummaries(of: harness.bob.id, PageQuery()).items
        #expect(bobs.map(\.fund.id) == [harness.bobsFund.id] && bobs[0].emailCount == 0)
        for fund in [harness.bobsFund.id, archived.id, 999] {
            #expect(await failure { _ = try await library.fundSummary(fund, of: ann) } == .notFound)
            #expect(await failure { try await library.noteVisit(to: fund, upTo: nil, of: ann) } == .notFound)
        }
        #expect(try harness.base.count("visit") == 0)
    }

    @Test func tellsWhatCameSinceTheLastVisit() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        _ = try await mail(harness, "1", parts: [Self.part])
        try await harness.put("before")
        var now = try await summary(harness)
        #expect(now.seenAt == nil && now.newEmailCount == 1 && now.newFileCount == 1)
        now = try await visit(harness)
        #expect(now.seenAt != nil && now.newEmailCount == 0 && now.newFileCount == 0)
        let second = try await mail(harness, "2", parts: [Self.part])
        let third = try await mail(harness, "3")
        try await harness.put("after")
        now = try await summary(harness)
        #expect(now.newEmailCount == 2 && now.newFileCount == 1)
        // The third came while the page was read.
        now = try await visit(harness, upTo: second)
        #expect(now.newEmailCount == 1 && now.newFileCount == 0)
        try await library.deleteEmail(third, of: ann)
        #expect(try await summary(harness).newEmailCount == 0)
        _ = try await library.restoreEmail(third, of: ann)
        #expect(try await summary(harness).newEmailCount == 1)
        #expect(try await visit(harness).newEmailCount == 0)
        // Seen emails stay seen, and a number that is too large hides no later one.
        #expect(try await visit(harness, upTo: second).newEmailCount == 0)
        #expect(try await visit(harness, upTo: EmailSummary.ID(.max)).newEmailCount == 0)
        #expect(try await visit(harness, upTo: EmailSummary.ID(.min)).newEmailCount == 0)
        _ = try await mail(harness, "4")
        #expect(try await summary(harness).newEmailCount == 1)
        // Bob's visits are his own.
        try await library.noteVisit(to: harness.bobsFund.id, upTo: nil, of: harness.bob.id)
        #expect(try await summary(harness).newEmailCount == 1)
    }

    /// Ids tell which emails are new; the order of a list does not show them.
    @Test func tellsUpToWhichEmailAllWasSeen() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        #expect(try await summary(harness).lastSeenEmail == nil)
        // A visit before there is any mail.
        #expect(try await visit(harness).lastSeenEmail == 0)
        let first = try await mail(harness, "1")
        let other = try await library.addFund("Other", of: ann).id
        _ = try await library.moveEmail(first, to: other, of: ann)
        let second = try await mail(harness, "2")
        _ = try await mail(harness, "3")
        let now = try await visit(harness, upTo: second)
        #expect(now.lastSeenEmail == second && now.newEmailCount == 1)
        // It is new where it was not looked at, and seen where a later one was.
        #expect(try await summary(harness, other).newEmailCount == 1)
        _ = try await library.moveEmail(first, to: fund, of: ann)
        #expect(try await summary(harness).newEmailCount == 1)
        #expect(try await summary(harness, other).lastSeenEmail == nil)
    }

    /// A page that is looked at again and again does not empty the caches of all users.
    @Test func aVisitWithoutNewsWritesNothing() async throws {
        let harness = try await LibraryHarness()
        _ = try await mail(harness, "1")
        _ = try await visit(harness)
        let version = try harness.store.library.dataVersion()
        for _ in 0..<3 { _ = try await visit(harness) }
        #expect(try harness.store.library.dataVersion() == version)
        try harness.store.connection.write("") { try $0.execute("UPDATE visit SET at = at - 61") }
        let old = try await summary(harness).seenAt
        #expect(try await visit(harness).seenAt != old)
    }

    @Test func aPurgedFundLeavesNoVisit() async throws {
        let harness = try await LibraryHarness()
        _ = try await mail(harness, "1")
        _ = try await visit(harness)
        try await harness.store.library.deleteFund(harness.base.fund.id, of: harness.ann)
        #expect(await failure { _ = try await visit(harness) } == .notFound)
        #expect(try harness.base.count("visit") == 1)
        _ = try await harness.store.library.emptyTrash(of: harness.ann)
        #expect(try harness.base.count("visit") == 0)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// More than `fewDeleted`: they are counted in another way.
    @Test func countsWhereMuchIsDeleted() async throws {
        let harness = try await LibraryHarness()
        let first = try await mail(harness, "1")
        let other = try await harness.store.library.addFund("Other", of: harness.ann)
        try harness.store.connection.write("") { db in
            try db.execute(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
                INSERT INTO note (fund_id, user_id, title, body, created_at, modified_at)
                    SELECT CASE WHEN i <= 2000 THEN ?1 ELSE ?2 END, ?3, 't', 'b', i, i FROM n
                """, [harness.base.fund.id, other.id, harness.ann])
            try db.execute("UPDATE note SET deleted_at = 5 WHERE id > 500 AND id <= 2400")
            try db.execute(
                """
                INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id)
                    SELECT \(ItemKind.note.rawValue), id, ?, 5, \(ItemKind.note.rawValue), id FROM note
                    WHERE deleted_at IS NOT NULL
                """, [harness.ann])
        }
        #expect(counts(try await summary(harness)) == [0, 1, 500])
        #expect(counts(try await summary(harness, other.id)) == [0, 0, 100])
        try harness.store.connection.write("") { db in
            try db.execute(
                """
                INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id)
                    SELECT \(ItemKind.email.rawValue), id, owner, 5, 3, id
                    FROM (SELECT id + 10 AS id, ?1 AS owner FROM note UNION ALL SELECT ?2, ?1)
                """, [harness.ann, first])
        }
        let now = try await summary(harness)
        #expect(counts(now) == [0, 0, 500] && now.newEmailCount == 0 && now.latestEmailAt == nil)
    }

    /// Bodies of emails and notes are long, and no count reads them.
    @Test func countsFromIndexesAlone() async throws {
        let harness = try await LibraryHarness()
        let plan = try harness.store.connection.read("") { db in
            try db.rows(
                """
                EXPLAIN QUERY PLAN SELECT 
                    (SELECT count(*) FROM file INDEXED BY file_live WHERE fund_id = fund.id AND deleted_at IS NULL),
                    (SELECT count(*) FROM email INDEXED BY email_arrival WHERE fund_id = fund.id AND id > 5),
                    (SELECT count(*) FROM note WHERE fund_id = fund.id)
                FROM fund
                """
            ).map { $0[3] as String }
        }
        for table in ["file", "email", "note"] {
            #expect(plan.contains { $0.contains("SEARCH \(table) USING COVERING INDEX") }, "\(plan)")
        }
        #expect(plan.contains { $0.contains("email_arrival (fund_id=? AND rowid>?)") }, "\(plan)")
    }
}
