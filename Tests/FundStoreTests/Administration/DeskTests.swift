import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Mail that waits at the desk, and acts about it that are done and undone.
@Suite struct DeskTests {
    private static let letter = StoreHarness.Part(name: "q3.txt", bytes: Array("quarter".utf8))
    private static let seal = StoreHarness.Part(name: "seal.png", bytes: Array("png".utf8), isInline: true)

    private func live(_ harness: LibraryHarness) throws -> [String] {
        try harness.store.connection.read("list") {
            try $0.values("SELECT name FROM file WHERE deleted_at IS NULL ORDER BY id")
        }
    }

    // MARK: Causes

    @Test func groupsByCause() async throws {
        let harness = try await LibraryHarness()
        let (desk, ann) = (harness.store.administration, harness.base.ann)
        let first = try await harness.keep("1", .unknownFund, of: ann, tag: "Fnud 1", mailbox: "a")
        let stranger = try await harness.keep("2", .unknownSender, from: "x@y.example")
        _ = try await harness.keep("3", .unknownFund, of: ann, tag: "FNUD 1", mailbox: "b")
        _ = try await harness.keep("4", .unknownFund, of: ann, tag: "other")
        let last = try await harness.keep("5", .unknownFund, of: ann, tag: "fnud 1")
        func causes(_ filter: MisrouteFilter = MisrouteFilter()) async throws -> [String] {
            try await desk.causes(filter, PageQuery()).items.map { "\($0.first.id)*\($0.count)" }
        }
        #expect(try await causes() == ["1*3", "2*1", "4*1"])
        var cursor: String?
        var paged: [Int] = []
        repeat {
            let page = try await desk.causes(MisrouteFilter(), PageQuery(limit: 1, cursor: cursor))
            (paged, cursor) = (paged + page.items.map(\.count), page.next)
        } while cursor != nil
        #expect(paged == [3, 1, 1])
        var filter = MisrouteFilter()
        filter.like = last
        #expect(try await desk.misroutes(filter).map(\.id.rawValue) == [1, 3, 5])
        filter.upTo = MisrouteRecord.ID(3)
        #expect(try await desk.misroutes(filter, PageQuery(limit: 1)).items.map(\.id) == [first])
        #expect(try await desk.countMisroutes(filter) == 2)
        filter.mailbox = "b"
        #expect(try await causes(filter) == ["3*1"])
        // Another reason is another cause.
        try await harness.store.mail.updateRouting(
            stranger, decision: RoutingDecision(outcome: .misrouted, reason: .noTag))
        filter = MisrouteFilter()
        filter.reasons = [.noTag]
        #expect(try await causes(filter) == ["2*1"])
    }

    @Test func putsOffAndShowsAgain() async throws {
        let harness = try await LibraryHarness()
        let desk = harness.store.administration
        let id = try await harness.keep("1", .noTag)
        let act = try await desk.putOff(id, until: .now + .seconds(3600), actor: "root@example.com")
        var filter = MisrouteFilter()
        filter.attention = .waiting
        #expect(try await desk.countMisroutes(filter) == 0)
        filter.attention = .later
        #expect(try await desk.misroutes(filter).map(\.id) == [id])
        var counts = try await desk.deskCounts(since: Timestamp(0))
        #expect(counts.waiting == 0 && counts.later == 1)
        #expect(try await desk.misroute(id).putOffUntil == counts.nextLaterAt && counts.nextLaterAt != nil)
        try await desk.undo(all: act)
        #expect(try await desk.misroute(id).putOffUntil == nil)
        // A time that has passed.
        _ = try await desk.putOff(id, until: .now - .seconds(1), actor: "root@example.com")
        filter.attention = .waiting
        #expect(try await desk.countMisroutes(filter) == 1)
        try await desk.reject(id, note: "", actor: "root@example.com")
        _ = try await harness.base.file("Subject: by rule\n\nx")
        counts = try await desk.deskCounts(since: .now - .seconds(60))
        #expect(counts.waiting == 0 && counts.putAside == 1 && counts.filedByRule == 1 && counts.filedByHand == 0)
        #expect(try await desk.deskCounts(since: .now + .seconds(60)) == DeskCounts())
    }

    // MARK: Undoing

    @Test func undoesAFiling() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let parts = [Self.letter, Self.seal]
        let id = try await harness.keep("1", .noTag, of: base.ann, parts: parts)
        let before = try await store.administration.misroute(id)
        let (filed, act) = try await base.assign(id, parts: parts)
        let email = try #require(filed.emailID)
        let cursor = try await store.library.latestChange(of: base.ann.id)
        #expect(try live(harness) == ["q3.txt"])
        var done = try await store.administration.act(act)
        #expect(done.kind == .assign && done.name == "Fund1" && done.owner == "ann@example.com")
        #expect(done.count == 1 && done.standing == 1 && done.undoneAt == nil)

        try await store.administration.undo(all: act, actor: "bob@example.com")
        #expect(try await store.administration.misroute(id) == before)
        #expect(try live(harness) == [] && base.count("email") == 0 && base.count("attachment") == 0)
        let deleted = try await store.library.deletedItems(of: base.ann.id)
        #expect(deleted.count == 1)
        done = try await store.administration.act(act)
        #expect(done.standing == 0 && done.undoneBy == "bob@example.com")
        #expect(try await store.administration.steps(of: act) == [])
        // Clients of the owner drop both.
        let changes = try await store.library.changes(of: base.ann.id, after: cursor, limit: 10).changes
        #expect(Set(changes.map(\.item)) == [.email(email), .file(FileEntry.ID(1))])
        #expect(changes.allSatisfy { $0.isDeleted })
        #expect(try await store.maintenance.verify().findings == [])

        // Filed again, elsewhere, under another number.
        let (again, _) = try await base.assign(id, to: harness.bobsFund, of: harness.bob, parts: parts)
        #expect(try #require(again.emailID) > email)
        let ids: [Int64] = try store.connection.read("list") { try $0.values("SELECT id FROM attachment") }
        #expect(ids == [3, 4])
        #expect(try live(harness) == ["q3.txt"])
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Who should never have had the files does not find them in a trash.
    @Test func takesFilesFromTheWrongPerson() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        for (text, reason, user) in [("1", Reason.unknownSender, nil), ("2", .unverifiedSender, base.ann)] {
            let id = try await harness.keep(text, reason, of: user, parts: [Self.letter])
            let (_, act) = try await base.assign(id, parts: [Self.letter])
            try await store.administration.undo(all: act)
            #expect(try await store.library.deletedItems(of: base.ann.id).isEmpty)
            await #expect(throws: StoreError.self) {
                try await store.library.restore(.file(FileEntry.ID(1)), of: base.ann.id)
            }
        }
        // At once, and for good.
        #expect(try base.count("file WHERE size > 0") == 0 && base.count("blob WHERE size > 0") == 0)
        #expect(try await store.maintenance.verify().findings == [])
    }

    @Test(arguments: [
        "rename", "move", "overwrite", "copy", "move mail", "delete mail", "delete file", "delete fund", "purge",
    ])
    func leavesWhatTheOwnerWentOnWith(_ change: String) async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let id = try await harness.keep("1", .noTag, of: base.ann, parts: [Self.letter])
        let (filed, act) = try await base.assign(id, parts: [Self.letter])
        let email = try #require(filed.emailID)
        let file = LibraryItemID.file(FileEntry.ID(1))
        let words: String
        switch change {
        case "rename":
            try await harness.move(file, to: harness.top, named: "mine.txt")
            words = "a file of it was renamed"
        case "move":
            let folder = try await harness.folder("Apart")
            try await harness.move(file, to: harness.place(folder))
            words = "a file of it was renamed, moved"
        case "overwrite":
            try await harness.put("q3.txt", "newer")
            words = "a file of it was renamed, moved, changed or deleted"
        case "copy":
            _ = try await store.library.copy(
                file, to: ItemTarget(.place(harness.top), name: "kept.txt"), isShallow: false, if: nil, of: base.ann.id)
            words = "“kept.txt” has the content"
        case "move mail":
            let other = try await store.administration.addFund(
                name: "Other", owner: base.ann.id, aliases: [], actor: "t")
            _ = try await store.library.moveEmail(email, to: other.id, if: nil, of: base.ann.id)
            words = "the mail was moved"
        case "delete mail":
            try await store.library.deleteEmail(email, if: nil, of: base.ann.id)
            words = "the mail was moved or deleted"
        case "delete file":
            try await store.library.delete(file, of: base.ann.id)
            words = "a file of it was renamed, moved, changed or deleted"
        case "purge":
            try await store.library.delete(file, of: base.ann.id)
            _ = try await store.maintenance.purgeDeleted(before: Timestamp.now + .seconds(1))
            words = "a file of it was renamed, moved, changed or deleted"
        default:
            try await store.library.delete(.fund(base.fund.id), of: base.ann.id)
            words = "the fund was deleted"
        }
        await #expect(performing: { try await store.administration.undo(all: act) }, throws: conflict(words))
        #expect(try await store.administration.misroute(id).resolution == .filed(emailID: email))
        #expect(try base.count("email") == 1)
    }

    /// Mail that is as it was filed again can be taken back.
    @Test(arguments: [
        "same file by another mail", "favourite", "there and back", "deleted and restored", "fund restored",
        "fund renamed",
    ])
    func takesBackWhatIsAsItWas(_ change: String) async throws {
        let harness = try await LibraryHarness()
        let (library, base) = (harness.store.library, harness.base)
        let (ann, file) = (base.ann.id, LibraryItemID.file(FileEntry.ID(1)))
        let id = try await harness.keep("1", .noTag, of: base.ann, parts: [Self.letter])
        let (filed, act) = try await base.assign(id, parts: [Self.letter])
        switch change {
        case "same file by another mail": try await base.file("Subject: 2\n\nx", parts: [Self.letter])
        case "favourite":
            try await library.setFavourite(true, .email(try #require(filed.emailID)), of: ann)
            try await library.setFavourite(true, file, of: ann)
        case "there and back":
            try await harness.move(file, to: harness.top, named: "mine.txt")
            try await harness.move(file, to: harness.top, named: "q3.txt")
        case "deleted and restored":
            try await library.delete(file, of: ann)
            _ = try await library.restore(file, of: ann)
        case "fund restored":
            try await library.delete(.fund(base.fund.id), of: ann)
            _ = try await library.restore(.fund(base.fund.id), of: ann)
        default: try await harness.store.administration.renameFund(base.fund.id, to: "Other", actor: "t")
        }
        try await harness.store.administration.undo(all: act)
        #expect(try await harness.store.administration.misroute(id).resolution == nil)
        let others = change == "same file by another mail" ? 1 : 0
        #expect(try live(harness).count == others && base.count("email") == others)
    }

    @Test func undoesOnce() async throws {
        let harness = try await LibraryHarness()
        let desk = harness.store.administration
        let id = try await harness.keep("1", .noTag)
        let act = try await desk.reject(id, note: "no", actor: "root@example.com")
        let step = try #require(try await desk.steps(of: act).first)
        // Who is no administrator, or none any more.
        await #expect(
            performing: { try await desk.undo(step.id, actor: "ann@example.com") },
            throws: conflict("ann@example.com is no administrator"))
        await #expect(
            performing: { try await desk.reject(id, note: "", in: act, actor: "ann@example.com") },
            throws: conflict("ann@example.com is no administrator"))
        await #expect(
            performing: { try await desk.putOff(id, until: .now, in: act, actor: "ann@example.com") },
            throws: conflict("ann@example.com is no administrator"))
        _ = try await desk.undo(step.id, actor: "bob@example.com")
        #expect(try await desk.misroute(id).resolution == nil)
        await #expect(
            performing: { try await desk.undo(step.id, actor: "cee@example.com") },
            throws: conflict("bob@example.com undid it"))
        // The act of another administrator is not undone with it.
        let (_, others) = try await harness.base.assign(id)
        try await desk.undo(all: others)
        _ = try await desk.reject(id, note: "no", actor: "root@example.com")
        let acts = try await desk.acts(since: Timestamp(0), PageQuery())
        #expect(acts.items.map(\.kind) == [.reject, .assign, .reject])
        #expect(acts.items.map(\.standing) == [1, 0, 0])
    }

    /// A copy that comes meanwhile is filed by the rules, and once.
    @Test func aCopyIsFiledAfterAnUndo() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let kept = try await base.file("Received: a\nSubject: x\n\nbody", reason: .noTag)
        let id = try #require(kept.misrouteID)
        let (_, act) = try await base.assign(id)
        #expect(try await base.file("Received: b\nSubject: x\n\nbody").outcome == .duplicate)
        try await store.administration.undo(all: act)
        let copy = try await base.file("Received: c\nSubject: x\n\nbody")
        #expect(copy.outcome == .filed)
        #expect(try await store.administration.misroute(id).resolution == .filed(emailID: try #require(copy.emailID)))
        #expect(try base.count("email") == 1)
        await #expect { try await base.assign(id) } throws: { ($0 as? StoreError)?.code == .alreadyResolved }
    }

    /// The header of a message was kept, which was too large at first; when it came whole, it had been filed.
    @Test func whatWasSettledByACopyWaitsAgainWithIt() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let refusal = Refusal(reason: .tooLarge, detail: "900 bytes")
        let header = try await base.deliver("Subject: x\n\n", at: "1", announcing: 900, refusal: refusal)
        let kept = try await base.file("Received: a\nSubject: x\n\nwhole", reason: .noTag)
        let (_, act) = try await base.assign(try #require(kept.misrouteID))
        try await base.deliver("Received: b\nSubject: x\n\nwhole", at: "1", announcing: 900)
        let id = try #require(header.misrouteID)
        #expect(try await store.administration.misroute(id).resolution != nil)
        try await store.administration.undo(all: act)
        #expect(
            try await store.administration.misroute(id).resolution
                == .rejected(note: "it came whole: see misrouted \(try #require(kept.misrouteID))"))
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Who was taken for the sender by a lesson that was wrong is so no more.
    @Test func undoesARetryWithItsSender() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let id = try await harness.keep("1", .unknownSender, from: "x@y.example", parts: [Self.letter])
        let before = try await store.administration.misroute(id)
        let (_, act) = try await base.assign(id, parts: [Self.letter], sender: base.ann)
        #expect(try await store.administration.misroute(id).user == base.ann.id)
        try await store.administration.undo(all: act)
        #expect(try await store.administration.misroute(id) == before)
        #expect(try await store.library.received(of: base.ann.id, PageQuery()).items.isEmpty)
        #expect(try await store.library.deletedItems(of: base.ann.id).isEmpty)
    }

    /// An older act is not undone over a newer one of another administrator.
    @Test func undoesTheLatestFirst() async throws {
        let harness = try await LibraryHarness()
        let desk = harness.store.administration
        let id = try await harness.keep("1", .noTag)
        let (monday, tuesday) = (Timestamp.now + .seconds(1000), Timestamp.now + .seconds(2000))
        let first = try await desk.putOff(id, until: monday, actor: "root@example.com")
        let second = try await desk.putOff(id, until: tuesday, actor: "bob@example.com")
        await #expect(performing: { try await desk.undo(all: first) }, throws: conflict("bob@example.com put it off"))
        let aside = try await desk.reject(id, note: "", actor: "carol@example.com")
        await #expect(performing: { try await desk.undo(all: second) }, throws: conflict("carol@example.com put it"))
        try await desk.undo(all: aside)
        try await desk.undo(all: second)
        #expect(try await desk.misroute(id).putOffUntil == monday)
        try await desk.undo(all: first)
        #expect(try await desk.misroute(id).putOffUntil == nil)
        // A filed message is not put aside any more.
        let former = try await desk.reject(id, note: "", actor: "root@example.com")
        let (_, filed) = try await harness.base.assign(id)
        #expect(try await desk.act(former).standing == 0)
        try await desk.undo(all: filed)
        #expect(try await desk.misroute(id).resolution == nil)
    }

    /// The lists of what waits read what waits.
    @Test func readsListsByTheirIndexes() async throws {
        let harness = try await LibraryHarness()
        var filter = MisrouteFilter()
        func plan() throws -> String {
            try harness.store.connection.read("plan") { db in
                let texts: [String] = try db.rows(
                    """
                    EXPLAIN QUERY PLAN SELECT count(*) FROM misroute JOIN message ON message.id = misroute.message_id
                    WHERE \(SQLAdministrationStore.fulfils(filter))
                    """, SQLAdministrationStore.arguments(filter)
                ).map { $0[3] }
                return texts.joined(separator: "; ")
            }
        }
        let all = try plan()
        #expect(all.contains("INDEX misroute_open") || all.contains("INDEX misroute_cause"), "\(all)")
        filter.like = MisrouteRecord.ID(1)
        let like = try plan()
        #expect(like.contains("misroute_cause (cause=?)"), "\(like)")
    }
}
