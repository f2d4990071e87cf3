import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A store with two users who each have a fund, and short ways to fill it.
struct LibraryHarness {
    let base: StoreHarness
    let bob: User
    let bobsFund: Fund

    var store: FundStore { base.store }
    var ann: User.ID { base.ann.id }
    var top: LibraryPlace { LibraryPlace(fund: base.fund.id) }

    init(
        sync: (@Sendable (Int32) -> Int32)? = nil, searchWait: Duration = StoreHarness.searchWait
    ) async throws {
        base = try await StoreHarness(sync: sync, searchWait: searchWait)
        bob = try await base.store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        bobsFund = try await base.store.administration.addFund(name: "Fund1", owner: bob.id, aliases: [], actor: "test")
    }

    /// Contents of a harness that others begin with: they are written once for many tests.
    struct Template: Sendable {
        fileprivate let base: StoreTemplate
        fileprivate let bob: User
        fileprivate let bobsFund: Fund

        /// - Parameter harness: is of no use afterwards; its store is closed.
        init(_ harness: LibraryHarness) throws {
            (base, bob, bobsFund) = (try StoreTemplate(harness.base), harness.bob, harness.bobsFund)
        }
    }

    init(_ template: Template) throws {
        (base, bob, bobsFund) = (try StoreHarness(template.base), template.bob, template.bobsFund)
    }

    /// An upload's file goes with its last reference, which the store's own thread may hold until just after the
    /// answer.
    func leavesNothing() async throws -> Bool { try await becomesTrue { try base.leftovers == [] } }

    /// Makes bob a member of Ann's fund, who has all that is in it in his feed.
    func addGuest() throws {
        try store.connection.write("add a member") { db in
            try db.execute("INSERT INTO fund_member VALUES (?, ?, 'guest')", [bob.id, top.fund])
            for kind in ItemKind.allCases { try ChangeFeed.complete(db, kind) }
        }
    }

    func upload(_ text: String) throws -> StagedUpload {
        let upload = try store.library.makeUpload(named: "a", announcing: nil)
        try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
        return try upload.finish(contentType: "text/plain")
    }

    @discardableResult
    func put(
        _ name: String, _ text: String = "content", in place: LibraryPlace? = nil, ifTaken: NameConflict = .replace
    ) async throws -> FileEntry {
        try await store.library.addFile(
            try upload(text), at: FileTarget(name, in: place ?? top, ifTaken: ifTaken), of: ann)
    }

    func folder(_ name: String, in place: LibraryPlace? = nil) async throws -> FolderEntry {
        try await store.library.addFolder(name, in: place ?? top, of: ann)
    }

    func place(_ folder: FolderEntry) -> LibraryPlace { LibraryPlace(fund: folder.fund, folder: folder.id) }

    /// Names of what is in a place, folders with a slash.
    func names(_ place: LibraryPlace? = nil) async throws -> [String] {
        try await store.library.children(of: place ?? top, of: ann).map {
            if case .folder(let folder) = $0 { "\(folder.name)/" } else { $0.name }
        }
    }

    /// Every path of the fund, with the text of each file.
    func tree(_ place: LibraryPlace? = nil, below prefix: String = "") async throws -> [String: String] {
        var result: [String: String] = [:]
        for item in try await store.library.children(of: place ?? top, of: ann) {
            switch item {
            case .file(let file): result[prefix + file.name] = try text(of: file)
            case .folder(let folder):
                result[prefix + folder.name + "/"] = ""
                result.merge(try await tree(self.place(folder), below: prefix + folder.name + "/")) { $1 }
            case .fund: break
            }
        }
        return result
    }

    func text(of file: FileEntry) throws -> String {
        var bytes: [UInt8] = []
        try store.library.content(of: file.digest, size: file.size).read(0..<file.size) { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }

    func id(_ path: String..., of fund: String = "Fund1") async throws -> LibraryItemID {
        try #require(try await store.library.item(at: [fund] + path, of: ann)).itemID
    }
}

/// The code with which a call fails; nil when it does not.
func failure(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? StoreError)?.code ?? .io
    }
}

extension LibraryHarness {
    @discardableResult
    func move(
        _ item: LibraryItemID, to place: LibraryPlace, named name: String? = nil, ifTaken: NameConflict = .refuse,
        of user: User.ID? = nil
    ) async throws -> LibraryItem {
        try await store.library.move(item, to: place, named: name, ifTaken: ifTaken, of: user ?? ann)
    }

    @discardableResult
    func copy(
        _ item: LibraryItemID, to place: LibraryPlace, named name: String? = nil, ifTaken: NameConflict = .refuse,
        isShallow: Bool = false, of user: User.ID? = nil
    ) async throws -> LibraryItem {
        try await store.library.copy(
            item, to: place, named: name, ifTaken: ifTaken, isShallow: isShallow, of: user ?? ann)
    }

    func delete(_ path: String...) async throws {
        let item = try #require(try await store.library.item(at: ["Fund1"] + path, of: ann))
        try await store.library.delete(item.itemID, of: ann)
    }

    /// Expects that a page of files comes from the index of its order, however many lie there: nothing is sorted.
    func expectIndex(of order: ItemOrder, matching filter: FileFilter = FileFilter()) throws {
        try store.connection.read("") { db in
            let view = LibraryView(db: db, user: ann)
            let list = try ItemList(top, by: order, matching: filter, limit: 100, view)
            for cursor in [nil, ListCursor(2, 5, texts: ["5"])] {
                let rows = try list.rows(of: .file, after: cursor)
                let plan = try db.rows(
                    "EXPLAIN QUERY PLAN " + LibraryView.filesSQL(from: .fund, where: rows.condition, rows.sorting),
                    [ann] + rows.arguments
                ).map { $0[3] as String }
                let index = order.key == .modifiedAt ? "file_modified" : "file_\(order.key)"
                #expect(plan.contains { $0.contains("SEARCH file USING INDEX \(index)") }, "\(plan)")
                #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
            }
        }
    }
}
