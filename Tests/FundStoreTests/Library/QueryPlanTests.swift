internal import GRDB
internal import Synchronization
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Lists find their rows by indexes: none takes longer because others have much.
@Suite struct QueryPlanTests {
    /// The texts of the statements that a connection runs.
    private final class Trace: Sendable {
        private let found = Mutex<Set<String>>([])

        var statements: Set<String> { found.withLock { $0 } }

        /// Collects what is read from now on: one call after the other, all get the same connection.
        func begin(_ store: FundStore) throws {
            try store.connection.read("trace") { db in
                try db.base.trace(options: .statement) { event in
                    guard case .statement(let statement) = event else { return }
                    let sql = statement.sql
                    _ = self.found.withLock { $0.insert(sql) }
                }
            }
        }
    }

    /// Tables with rows for each thing that people have.
    private static let large: Set = [
        "attachment", "blob", "change", "deletion", "departure", "email", "favourite", "file", "folder", "fund",
        "fund_member", "message", "misroute", "note", "property", "visit",
    ]

    /// Mail with a file, folders, versions, notes, a fund that is archived, favourites, and some of all in the trash.
    private func fill(
        _ harness: LibraryHarness
    ) async throws -> (email: EmailSummary.ID, file: FileEntry, second: Fund.ID) {
        let (library, ann, top) = (harness.store.library, harness.ann, harness.top)
        var emails: [EmailSummary.ID] = []
        for number in 1...3 {
            let part = StoreHarness.Part(name: "\(number).pdf", bytes: [UInt8(number)])
            emails.append(
                try #require(try await harness.base.file("Subject: word \(number)\n\nx", parts: [part]).emailID))
        }
        let folder = try await harness.folder("folder")
        let file = try await harness.put("a.txt", in: harness.place(folder))
        try await harness.put("a(1).txt", "other", in: harness.place(folder))
        let text = NoteText(title: "word", content: "c")
        let notes = [
            try await library.addNote(text, in: top.fund, of: ann),
            try await library.addNote(text, in: top.fund, of: ann),
        ]
        let second = try await library.addFund("Second", of: ann)
        let closed = try await library.addFund("Closed", of: ann)
        try await library.archiveFund(closed.id, if: nil, of: ann)
        for item in [LibraryItemID.fund(second.id), .email(emails[0]), .file(file.id), .note(notes[0].id)] {
            try await library.setFavourite(true, item, of: ann)
        }
        let gone = try await harness.put("gone.txt")
        for item in [LibraryItemID.file(gone.id), .email(emails[2]), .note(notes[1].id)] {
            try await library.delete(item, of: ann)
        }
        try await library.noteVisit(to: top.fund, upTo: emails[0], of: ann)
        try await harness.base.file("Subject: kept\n\nx", reason: .unknownFund)
        return (emails[0], file, second.id)
    }

    @Test func noListScans() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, top) = (harness.store.library, harness.ann, harness.top)
        let (email, file, second) = try await fill(harness)
        while try await library.index.indexPending() > 0 {}
        let trace = Trace()
        try trace.begin(harness.store)
        let page = PageQuery(limit: 10)

        _ = try await library.funds(of: ann)
        _ = try await library.funds(of: ann, page)
        _ = try await library.fundSummaries(of: ann, page)
        _ = try await library.sidebar(of: ann, atMost: 10, withOffice: false)
        _ = try await library.contents(of: top.fund, page, of: ann)
        _ = try await library.neighbours(
            of: .email(email), in: top.fund, isOldestFirst: false, matching: FileFilter(), of: ann)
        _ = try await library.children(of: top, of: ann)
        for key in ItemOrder.Key.allCases {
            let place = harness.place(try #require(try await library.folder(#require(file.folder), of: ann)))
            _ = try await library.rows(of: place, by: ItemOrder(key), matching: FileFilter(), page, of: ann)
            _ = try await library.neighbours(of: file.id, by: ItemOrder(key), matching: FileFilter(), of: ann)
        }
        _ = try await library.countChildren(of: top, of: ann)
        _ = try await library.versions(of: file.id, of: ann)
        _ = try await library.provenance(of: file.id, of: ann)
        _ = try await library.files(with: [file.digest], of: ann)
        _ = try await library.item(at: ["Fund1", "folder", "a.txt"], of: ann)
        _ = try await library.storageUse(of: ann)
        for isFavourite in [false, true] {
            for fund in [nil, top.fund, second] {
                var query = EmailQuery()
                (query.favouritesOnly, query.fund) = (isFavourite, fund)
                _ = try await library.emails(query, of: ann)
            }
        }
        _ = try await library.senders(in: top.fund, atMost: 5, of: ann)
        _ = try await library.countEmails(in: top.fund, of: ann)
        _ = try await library.email(email, of: ann)
        _ = try await library.received(of: ann, page)
        _ = try await library.notes(in: top.fund, since: nil, page, of: ann)
        _ = try await library.countNotes(in: top.fund, of: ann)
        _ = try await library.favourites(of: ann, page)
        _ = try await library.arrivals(ArrivalQuery(), of: ann)
        _ = try await library.lastVisit(of: ann)
        for key in TrashOrder.Key.allCases {
            _ = try await library.deletedItems(of: ann, by: TrashOrder(key), page)
        }
        _ = try await library.deletedTexts(of: ann, page)
        _ = try await library.trash(of: ann, page)
        _ = try await library.trashQuestion(of: ann)
        _ = try await library.archivedFunds(of: ann, page)
        _ = try await library.changes(of: ann, after: nil, limit: 10, withItems: true)
        _ = try await library.changes(
            of: ann, after: try await library.latestChange(of: ann), limit: 10, withItems: false)
        _ = try await library.search(SearchQuery(text: "word"), of: ann)

        let statements = trace.statements.filter { $0.contains("SELECT") && !$0.hasPrefix("--") }
        #expect(statements.count > 40)
        try harness.store.connection.read("explain") { db in
            for sql in statements.sorted() {
                let statement = try db.base.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
                statement.setUncheckedArguments(StatementArguments())
                let steps = try GRDB.Row.fetchAll(statement).map { $0[3] as String }
                let scans = steps.filter { step in
                    let words = step.split(separator: " ")
                    return words.count > 1 && words[0] == "SCAN" && Self.large.contains(String(words[1]))
                }
                #expect(scans.isEmpty, "\(steps)\n\(sql)")
            }
        }
    }
}
