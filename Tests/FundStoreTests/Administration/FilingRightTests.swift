import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The right of senders to file their own mail, as the transaction that files it asks for it.
@Suite struct FilingRightTests {
    private static let letter = StoreHarness.Part(name: "q3.txt", bytes: Array("third quarter".utf8))

    private func right(of user: User) -> FilingRight { .sender(user.id, email: user.email) }

    /// An act like those of administrators: it is listed, audited and undone as one, and its owner is told by whom.
    @Test func isAnActThatAdministratorsUndo() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let id = try await harness.keep("mine", .noTag, of: base.ann, parts: [Self.letter])
        #expect(try await store.library.received(of: base.ann.id, PageQuery()).items.first?.isForSender == true)
        let (stored, act) = try await base.assign(id, parts: [Self.letter], by: right(of: base.ann))
        #expect(stored.emailID != nil)
        let done = try await store.administration.act(act)
        #expect(done.actor == base.ann.email && done.kind == .assign && done.canUndo)
        let audit = try await store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items
        #expect(audit.first?.action == "misroute.file" && audit.first?.actor == base.ann.email)
        #expect(try await store.administration.lastAct(about: id) == act)
        let filed = try #require(try await store.library.received(of: base.ann.id, PageQuery()).items.first)
        #expect(filed.outcome == .filed && !filed.isForSender && filed.resolution?.by == base.ann.email)

        try await store.administration.undo(all: act)
        #expect(try await store.administration.lastAct(about: id) == nil)
        let again = try #require(try await store.library.received(of: base.ann.id, PageQuery()).items.first)
        #expect(again.outcome == .misrouted && again.isForSender && again.takenBack?.by == "root@example.com")
        let found = try await store.library.receivedMail(again.id, of: base.ann.id)
        // For many at once the same is told, and nothing of another's.
        let records = try await store.library.keptRecords(of: [again.id], of: base.ann.id)
        #expect(records.mapValues(\.id) == [again.id: found.message])
        #expect(try await store.library.keptRecords(of: [again.id], of: harness.bob.id).isEmpty)
        #expect(found.mail == again && found.message == id)
        let deleted = try await store.library.deletedItems(of: base.ann.id)
        let files = deleted.compactMap { if case .file(let file) = $0 { file.id } else { nil as FileEntry.ID? } }
        #expect(files.count == 1)
        let who = try await store.library.takenBack(files, of: base.ann.id)
        #expect(who == [files[0]: "root@example.com"])
        #expect(try await store.library.takenBack(files, of: harness.bob.id).isEmpty)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// A file that its owner deleted was not taken back.
    @Test func saysNothingOfWhatItsOwnerDeleted() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let id = try await harness.keep("mine", .noTag, of: base.ann, parts: [Self.letter])
        _ = try await base.assign(id, parts: [Self.letter])
        try await store.library.delete(.file(FileEntry.ID(1)), of: base.ann.id)
        #expect(try await store.library.takenBack([FileEntry.ID(1)], of: base.ann.id).isEmpty)
    }

    /// An administrator whose page is older than the act of another does not undo that act unawares.
    @Test func doesNotFileWhatWasPutAsideMeanwhile() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let id = try await harness.keep("x", .noTag, of: base.ann, parts: [Self.letter])
        try await store.administration.reject(id, note: "spam", actor: "bo@example.com")
        func assign(by right: FilingRight) async throws -> StoredMessage {
            try await base.assign(id, to: base.fund, of: base.ann, parts: [Self.letter], by: right).stored
        }
        await #expect { _ = try await assign(by: .administrator("root@example.com")) } throws: { error in
            let error = try #require(error as? StoreError)
            return error.code == .alreadyResolved && error.detail.contains("bo@example.com put it aside")
        }
        #expect(try base.count("email") == 0)
        // The command line names it, and means it.
        let meant = FilingRight.administrator("root@example.com", evenPutAside: true)
        #expect(try await assign(by: meant).outcome == .filed)
    }

    /// Neither what may be forged, nor what waits for more than a fund, nor another's, nor what was put aside.
    @Test(arguments: [
        "unverified sender", "unverified", "unknown sender", "two subjects", "another's", "put aside", "disabled",
        "another's fund", "archived fund", "address gone",
    ])
    func refusesAllOtherMail(_ what: String) async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let reason: Reason =
            switch what {
            case "unverified sender": .unverifiedSender
            case "unknown sender": .unknownSender
            case "two subjects": .ambiguousSubject
            default: .noTag
            }
        let user = what == "unknown sender" ? nil : what == "another's" ? harness.bob : base.ann
        let sender = what == "address gone" ? "z@example.com" : "ann@example.com"
        let id = try await harness.keep("x", reason, of: user, from: sender, parts: [Self.letter])
        switch what {
        case "unverified":
            try store.connection.write("") { try $0.execute("UPDATE misroute SET is_unverified = 1") }
        case "put aside": try await store.administration.reject(id, note: "spam", actor: "root@example.com")
        case "disabled": try await store.administration.setDisabled(true, user: base.ann.id, actor: "t")
        case "archived fund": try await store.library.archiveFund(base.fund.id, if: nil, of: base.ann.id)
        default: break
        }
        await #expect(throws: StoreError.self) {
            let fund = what == "another's fund" ? harness.bobsFund : base.fund
            _ = try await base.assign(id, to: fund, of: base.ann, parts: [Self.letter], by: right(of: base.ann))
        }
        #expect(try base.count("email") == 0)
        if !["disabled", "another's fund", "archived fund"].contains(what) {
            let waiting = try await store.library.received(of: base.ann.id, PageQuery()).items.filter(\.isForSender)
            #expect(waiting.isEmpty)
        }
    }
}
