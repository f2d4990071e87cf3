import TestSupport
import FundCore
import Testing

@testable import FundStore

/// The depth of folders: below what WebDAV and file systems reach, items could be neither seen there nor exported.
@Suite struct DepthTests {
    /// Folders in each other, the last of them first.
    private func chain(
        _ count: Int, named name: String = "d", in place: LibraryPlace? = nil, _ harness: LibraryHarness
    ) async throws -> [FolderEntry] {
        var folders: [FolderEntry] = []
        for _ in 0..<count {
            let above = folders.last.map(harness.place) ?? place
            folders.append(try await harness.folder(name, in: above))
        }
        return folders.reversed()
    }

    @Test func levels() async throws {
        let harness = try await LibraryHarness()
        let folders = try await chain(FolderReach.maxDepth, harness)
        let deepest = harness.place(folders[0])
        #expect(await failure { _ = try await harness.folder("x", in: deepest) } == .invalid)
        try await harness.put("file", in: deepest)
        let other = try await chain(2, named: "e", harness)
        for (place, fits) in [(folders[0], false), (folders[1], false), (folders[2], true)] {
            let kind = await failure {
                try await harness.copy(.folder(other[1].id), to: harness.place(place))
            }
            #expect(kind == (fits ? nil : .invalid))
        }
        #expect(
            await failure { try await harness.move(.folder(other[1].id), to: harness.place(folders[1])) } == .invalid)
        // Without what is in it there is room for it.
        try await harness.copy(.folder(other[1].id), to: harness.place(folders[1]), isShallow: true)
        try await harness.move(.folder(other[0].id), to: harness.place(folders[1]), named: "f")
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func bytes() async throws {
        let harness = try await LibraryHarness()
        let name = String(repeating: "\u{7530}", count: 83)  // 249 bytes and a slash
        let folders = try await chain(12, named: name, harness)
        #expect(await failure { _ = try await harness.folder("x", in: harness.place(folders[0])) } == .invalid)
        #expect(
            await failure {
                try await harness.move(
                    .folder(folders[11].id), to: harness.top, named: String(repeating: "x", count: 250))
            } == .invalid)
        try await harness.move(.folder(folders[11].id), to: harness.top, named: String(repeating: "x", count: 248))
        #expect(await failure { _ = try await harness.folder("xx", in: harness.place(folders[0])) } == .invalid)
        _ = try await harness.folder("x", in: harness.place(folders[1]))
    }

    /// Earlier versions took them.
    @Test func whatIsTooDeepCanBeMended() async throws {
        let harness = try await LibraryHarness()
        let folders = try await chain(FolderReach.maxDepth, harness)
        let more = try await chain(5, named: "e", harness)
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE folder SET parent_id = ? WHERE id = ?", [folders[0].id, more[4].id])
        }
        #expect(
            await failure { try await harness.move(.folder(folders[97].id), to: harness.top, named: "longer") }
                == .invalid)
        try await harness.move(.folder(folders[97].id), to: harness.top, named: "c")
        try await harness.move(.folder(more[4].id), to: harness.place(folders[9]))
        // A folder that was deleted before the others went down.
        try await harness.store.library.delete(.folder(more[4].id), of: harness.ann)
        let holder = try await chain(8, named: "h", harness)
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE folder SET parent_id = ? WHERE id = ?", [holder[0].id, folders[97].id])
        }
        guard case .folder(let restored) = try await harness.store.library.restore(.folder(more[4].id), of: harness.ann)
        else {
            Issue.record("it is no folder any more")
            return
        }
        #expect(restored.parent == nil && restored.name == "e")
        #expect(try await harness.store.library.item(at: ["Fund1", "e", "e", "e", "e", "e"], of: harness.ann) != nil)
        #expect(try await harness.store.maintenance.verify().isSound)
    }
}
