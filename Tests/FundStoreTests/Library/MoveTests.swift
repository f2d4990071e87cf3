import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct MoveTests {
    private func filled() async throws -> LibraryHarness { try LibraryHarness(await Self.beginning.value) }

    /// a/{x,b/{y,c/}}, d/x, z
    private static let beginning = Task {
        let harness = try await LibraryHarness()
        let a = try await harness.folder("a")
        let b = try await harness.folder("b", in: harness.place(a))
        _ = try await harness.folder("c", in: harness.place(b))
        let d = try await harness.folder("d")
        try await harness.put("x", "ax", in: harness.place(a))
        try await harness.put("y", "by", in: harness.place(b))
        try await harness.put("x", "dx", in: harness.place(d))
        try await harness.put("z", "z")
        return try LibraryHarness.Template(harness)
    }

    private func place(_ harness: LibraryHarness, _ path: [String]) async throws -> LibraryPlace {
        guard !path.isEmpty, let item = try await harness.store.library.item(at: ["Fund1"] + path, of: harness.ann),
            case .folder(let folder) = item
        else { return harness.top }
        return harness.place(folder)
    }

    struct Case: Sendable {
        var item: [String]
        var to: [String]
        var name: String?
        var ifTaken = NameConflict.refuse
        /// The changed items after a move; nil for one that is gone.
        var changes: [String: String?] = [:]
        var fails: StoreError.Code?
    }

    static let moveCases = [
        Case(item: ["z"], to: ["a"], changes: ["z": nil, "a/z": "z"]),
        Case(item: ["z"], to: [], name: "Z", changes: ["z": nil, "Z": "z"]),
        Case(item: ["z"], to: [], changes: [:]),
        Case(item: ["z"], to: ["a"], name: "x", fails: .alreadyExists),
        Case(item: ["z"], to: ["a"], name: "x", ifTaken: .number, changes: ["z": nil, "a/x(1)": "z"]),
        Case(item: ["z"], to: ["a"], name: "x", ifTaken: .replace, changes: ["z": nil, "a/x": "z"]),
        Case(item: ["z"], to: [], name: "d", ifTaken: .replace, changes: ["z": nil, "d/": nil, "d/x": nil, "d": "z"]),
        Case(item: ["a", "x"], to: [], name: "a", ifTaken: .replace, fails: .invalid),
        Case(
            item: ["a", "b"], to: [],
            changes: ["a/b/": nil, "a/b/y": nil, "a/b/c/": nil, "b/": "", "b/y": "by", "b/c/": ""]),
        Case(item: ["a", "b"], to: [], name: "a", ifTaken: .replace, fails: .invalid),
        Case(item: ["a"], to: ["a"], fails: .invalid),
        Case(item: ["a"], to: ["a", "b", "c"], fails: .invalid),
        Case(item: ["a"], to: [], name: "d", fails: .alreadyExists),
        Case(
            item: ["d"], to: [], name: "a", ifTaken: .replace,
            changes: [
                "d/": nil, "d/x": nil, "a/x": "dx", "a/b/": nil, "a/b/y": nil, "a/b/c/": nil,
            ]),
        Case(
            item: ["d"], to: [], name: "z", ifTaken: .replace,
            changes: ["d/": nil, "d/x": nil, "z": nil, "z/": "", "z/x": "dx"]),
        Case(
            item: ["d"], to: ["a"], name: "x", ifTaken: .number,
            changes: ["d/": nil, "d/x": nil, "a/x(1)/": "", "a/x(1)/x": "dx"]),
    ]

    @Test(arguments: moveCases)
    func moves(_ row: Case) async throws {
        let harness = try await filled()
        var expected = try await harness.tree()
        let item = try #require(try await harness.store.library.item(at: ["Fund1"] + row.item, of: harness.ann)).itemID
        let target = try await place(harness, row.to)
        let kind = await failure {
            let moved = try await harness.move(item, to: target, named: row.name, ifTaken: row.ifTaken)
            #expect(moved.itemID == item)
        }
        #expect(kind == row.fails)
        for (path, text) in row.changes { expected[path] = text }
        #expect(try await harness.tree() == expected)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    static let copyCases = [
        Case(item: ["z"], to: ["a"], changes: ["a/z": "z"]),
        Case(item: ["z"], to: [], fails: .alreadyExists),
        Case(item: ["z"], to: [], ifTaken: .replace, fails: .invalid),
        Case(item: ["z"], to: [], ifTaken: .number, changes: ["z(1)": "z"]),
        Case(item: ["z"], to: ["a"], name: "x", ifTaken: .replace, changes: ["a/x": "z"]),
        Case(
            item: ["z"], to: [], name: "a", ifTaken: .replace,
            changes: ["a/": nil, "a/x": nil, "a/b/": nil, "a/b/y": nil, "a/b/c/": nil, "a": "z"]),
        Case(item: ["a"], to: ["a", "b"], fails: .invalid),
        Case(item: ["a", "b"], to: [], name: "a", ifTaken: .replace, fails: .invalid),
        Case(
            item: ["a"], to: [], ifTaken: .number,
            changes: ["a(1)/": "", "a(1)/x": "ax", "a(1)/b/": "", "a(1)/b/y": "by", "a(1)/b/c/": ""]),
        Case(
            item: ["a"], to: ["d"], name: "x", ifTaken: .replace,
            changes: ["d/x": nil, "d/x/": "", "d/x/x": "ax", "d/x/b/": "", "d/x/b/y": "by", "d/x/b/c/": ""]),
    ]

    /// Others can change nothing while something is copied.
    @Test func copiesHaveABound() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let folder = try await harness.folder("many")
        let file = try await harness.put("0", "x", in: harness.place(folder))
        func add(_ count: Int) throws {
            try store.connection.write("") { db in
                try db.execute(
                    """
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                    INSERT INTO file (fund_id, folder_id, name, name_key, blob_id, size, content_type, created_at,
                            modified_at)
                        SELECT fund_id, folder_id, hex(randomblob(8)), hex(randomblob(8)), blob_id, size,
                            content_type, 0, 0
                        FROM file CROSS JOIN n WHERE file.id = ?2
                    """, [count, file.id])
            }
        }
        func copy(_ name: String) async throws {
            let target = ItemTarget(.unchanged, name: name, ifTaken: .refuse)
            _ = try await store.library.copy(.folder(folder.id), to: target, isShallow: false, if: nil, of: ann)
        }
        try add(49_998)
        try await copy("fits")
        try add(1)
        #expect(await failure { try await copy("too many") } == .invalid)
        #expect(
            await failure {
                _ = try await store.library.copyFund(harness.top.fund, to: "copy", isShallow: false, of: ann)
            }
                == .invalid)
        #expect(try await store.library.children(of: harness.top, of: ann).map(\.name).sorted() == ["fits", "many"])
    }

    @Test(arguments: copyCases)
    func copies(_ row: Case) async throws {
        let harness = try await filled()
        var expected = try await harness.tree()
        let item = try #require(try await harness.store.library.item(at: ["Fund1"] + row.item, of: harness.ann)).itemID
        let target = try await place(harness, row.to)
        let kind = await failure {
            let copied = try await harness.copy(item, to: target, named: row.name, ifTaken: row.ifTaken)
            #expect(copied.itemID != item)
        }
        #expect(kind == row.fails)
        for (path, text) in row.changes { expected[path] = text }
        #expect(try await harness.tree() == expected)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func copiesAFund() async throws {
        let harness = try await filled()
        let (store, ann) = (harness.store, harness.ann)
        let note = NoteText(title: "stays", content: "")
        _ = try await store.library.addNote(note, in: harness.top.fund, of: ann)
        for item in [.fund(harness.top.fund), try await harness.id("z"), try await harness.id("a", "b", "y")] {
            try await store.library.setProperties(["{u:}p": "v"], of: item, of: ann)
        }
        try await harness.delete("d")
        let before = try await harness.tree()
        let copy = try await store.library.copyFund(harness.top.fund, to: "copy", isShallow: false, of: ann)
        let place = LibraryPlace(fund: copy.id)
        #expect(try await harness.tree(place) == before)
        #expect(try await harness.tree() == before)
        #expect(try await store.library.notes(in: copy.id, since: nil, of: ann).notes == [])
        #expect(try await store.library.properties(of: .fund(copy.id), of: ann) == ["{u:}p": "v"])
        #expect(
            try await store.library.itemsWithProperties(in: place, of: ann) == [
                try await harness.id("z", of: copy.name)
            ])
        let shallow = try await store.library.copyFund(harness.top.fund, to: "shallow", isShallow: true, of: ann)
        #expect(try await harness.tree(LibraryPlace(fund: shallow.id)) == [:])
        for name in ["COPY", "a/b", ""] {
            let kind = await failure {
                _ = try await store.library.copyFund(harness.top.fund, to: name, isShallow: false, of: ann)
            }
            #expect(kind == (name == "COPY" ? .alreadyExists : .invalid), "\(name)")
        }
        #expect(try await store.library.funds(of: ann).map(\.name) == ["Fund1", "copy", "shallow"])
        #expect(try await store.maintenance.verify().isSound)
    }

    @Test func aShallowCopyIsEmpty() async throws {
        let harness = try await filled()
        try await harness.copy(try await harness.id("a"), to: harness.top, named: "e", isShallow: true)
        #expect(try await harness.tree()["e/"] == "")
        #expect(try await harness.tree().keys.filter { $0.hasPrefix("e/") } == ["e/"])
    }

    /// The time is set with the properties or not at all, and only files have one.
    @Test func setsATimeWithProperties() async throws {
        let harness = try await filled()
        let (store, ann) = (harness.store, harness.ann)
        let (a, z) = (try await harness.id("a"), try await harness.id("z"))
        try await store.library.setProperties(["{u:}p": "v"], modifiedAt: 1_000_000_000, of: z, of: ann)
        #expect(try await store.library.file(.init(z.number), of: ann).modifiedAt == 1_000_000_000)
        let tooLong = ["{u:}p": String(repeating: "x", count: 70_000)]
        #expect(
            await failure { try await store.library.setProperties(tooLong, modifiedAt: 5, of: z, of: ann) } == .invalid)
        #expect(try await store.library.file(.init(z.number), of: ann).modifiedAt == 1_000_000_000)
        #expect(await failure { try await store.library.setProperties([:], modifiedAt: 5, of: a, of: ann) } == .invalid)
    }

    /// Each file in full, what is in the trash, too, and nothing of others (RFC 4331 §4).
    @Test func addsUpWhatFilesTake() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        func used() async throws -> Int64 { try await store.library.storageUse(of: ann).used }
        #expect(try await used() == 0)
        try await harness.put("a", "12345")
        let folder = try await harness.folder("box")
        try await harness.put("b", "12345", in: harness.place(folder))
        try await harness.put("c", "123", in: harness.place(folder))
        #expect(try await used() == 13)
        try await store.library.delete(.folder(folder.id), of: ann)
        #expect(try await used() == 13)
        #expect(try await store.library.storageUse(of: harness.bob.id).used == 0)
        #expect(try await store.library.storageUse(of: ann).available > 0)
    }

    @Test func propertiesAndFavourites() async throws {
        let harness = try await filled()
        let (store, ann) = (harness.store, harness.ann)
        let (a, y, z) = (try await harness.id("a"), try await harness.id("a", "b", "y"), try await harness.id("z"))
        for item in [a, y, z] {
            try await store.library.setProperties(["{u:}p": "<p>\(item.number)</p>", "{u:}q": "2"], of: item, of: ann)
            try await store.library.setFavourite(true, item, of: ann)
        }
        try await store.library.setProperties(["{u:}q": nil], of: y, of: ann)
        #expect(try await store.library.properties(of: y, of: ann) == ["{u:}p": "<p>\(y.number)</p>"])
        #expect(try await store.library.itemsWithProperties(in: harness.top, of: ann) == [a, z])
        let (fund, none) = (LibraryItemID.fund(harness.top.fund), try await harness.id("d"))
        #expect(
            try await store.library.properties(of: [a, y, fund, none], of: ann).mapValues(\.count) == [a: 2, y: 1])
        #expect(try await store.library.properties(of: [a, y], of: harness.bob.id) == [:])
        // They go with a move, also into another fund, and a copy has the properties.
        let other = LibraryPlace(fund: try await store.library.addFund("other", of: ann).id)
        try await harness.copy(a, to: harness.top, named: "e")
        try await harness.move(a, to: other)
        #expect(try await store.library.properties(of: y, of: ann) == ["{u:}p": "<p>\(y.number)</p>"])
        #expect(try await store.library.file(.init(y.number), of: ann).isFavourite)
        let copy = try await harness.id("e", "b", "y")
        #expect(try await store.library.properties(of: copy, of: ann) == ["{u:}p": "<p>\(y.number)</p>"])
        #expect(try await !store.library.file(.init(copy.number), of: ann).isFavourite)
        // A replaced file keeps its own, a copy over it brings others.
        try await harness.put("z", "new")
        #expect(try await store.library.properties(of: z, of: ann).count == 2)
        try await harness.copy(copy, to: harness.top, named: "z", ifTaken: .replace)
        #expect(try await store.library.properties(of: z, of: ann) == ["{u:}p": "<p>\(y.number)</p>"])
        #expect(try await store.library.file(.init(z.number), of: ann).isFavourite)
        let tooMany = Dictionary(uniqueKeysWithValues: (0...200).map { ("{u:}\($0)", "") })
        #expect(await failure { try await store.library.setProperties(tooMany, of: z, of: ann) } == .invalid)
        let tooLong = ["{u:}p": String(repeating: "x", count: 70_000)]
        #expect(await failure { try await store.library.setProperties(tooLong, of: z, of: ann) } == .invalid)
        #expect(try await store.library.properties(of: z, of: ann).count == 1)
    }

    @Test func thousandsOfFiles() async throws {
        let harness = try await LibraryHarness()
        let folder = try await harness.folder("many")
        let first = try await harness.put("0", in: harness.place(folder))
        try harness.store.connection.write("") { db in
            for number in 1..<3000 {
                let id: FileEntry.ID = try db.insert(
                    """
                    INSERT INTO file (fund_id, folder_id, name, name_key, blob_id, size, content_type, created_at,
                        modified_at) SELECT fund_id, folder_id, ?1, ?1, blob_id, size, content_type, 0, 0
                    FROM file WHERE id = ?2
                    """, ["\(number)", first.id])
                try ChangeFeed.note(db, .file(id), in: first.fund)
            }
            try FundUse.complete(db)
        }
        let other = LibraryPlace(fund: try await harness.store.library.addFund("other", of: harness.ann).id)
        let copy = try await harness.copy(.folder(folder.id), to: other)
        try await harness.move(.folder(folder.id), to: other, named: "moved")
        try await harness.store.library.delete(copy.itemID, of: harness.ann)
        #expect(try await harness.names(LibraryPlace(fund: other.fund, folder: folder.id)).count == 3000)
        #expect(try await harness.names(other) == ["moved/"])
        _ = try await harness.store.library.restore(copy.itemID, of: harness.ann)
        #expect(
            try await harness.names(LibraryPlace(fund: other.fund, folder: .init(copy.itemID.number))).count == 3000)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func mailMovesWithTheFilesThatLieWhereTheyWerePut() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let parts = ["one", "two", "three"].map { StoreHarness.Part(name: $0, bytes: [1]) }
        let email = try #require(try await harness.base.file("a: b\n\nc", parts: parts).emailID)
        let folder = try await harness.folder("mine")
        try await harness.move(try await harness.id("two"), to: harness.place(folder))
        try await harness.copy(try await harness.id("three"), to: harness.top, named: "copy")
        try await harness.delete("one")
        let other = LibraryPlace(fund: try await store.library.addFund("other", of: ann).id)
        try await harness.put("three", in: other)
        #expect(try await store.library.moveEmail(email, to: other.fund, of: ann).fund == other.fund)
        #expect(try await harness.names() == ["mine/", "copy"])
        #expect(try await harness.names(other) == ["three", "three(1)"])
        #expect(try await store.library.email(email, of: ann).attachments.count == 3)
        #expect(try await store.maintenance.verify().isSound)
    }
}
