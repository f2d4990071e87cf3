import GRDB
import FundCore
import Testing

@testable import FundStore

/// What lies deeper than WebDAV and file systems reach could be neither seen there nor exported.
@Suite struct DepthTests {
    /// Folders in each other, the last of them first.
    private func chain(
        _ count: Int, named name: String = "d", in place: LibraryPlace? = nil, _ trial: LibraryTrial
    ) async throws -> [FolderEntry] {
        var folders: [FolderEntry] = []
        for _ in 0..<count {
            let above = folders.last.map(trial.place) ?? place
            folders.append(try await trial.folder(name, in: above))
        }
        return folders.reversed()
    }

    @Test func levels() async throws {
        let trial = try await LibraryTrial()
        let folders = try await chain(FolderReach.maxDepth, trial)
        let deepest = trial.place(folders[0])
        #expect(await failure { _ = try await trial.folder("x", in: deepest) } == .invalid)
        try await trial.put("file", in: deepest)
        let other = try await chain(2, named: "e", trial)
        for (place, fits) in [(folders[0], false), (folders[1], false), (folders[2], true)] {
            let kind = await failure {
                try await trial.copy(.folder(other[1].id), to: trial.place(place))
            }
            #expect(kind == (fits ? nil : .invalid))
        }
        #expect(await failure { try await trial.move(.folder(other[1].id), to: trial.place(folders[1])) } == .invalid)
        // Without what is in it there is room for it.
        try await trial.copy(.folder(other[1].id), to: trial.place(folders[1]), isShallow: true)
        try await trial.move(.folder(other[0].id), to: trial.place(folders[1]), named: "f")
        #expect(try await trial.store.verify().isSound)
    }

    @Test func bytes() async throws {
        let trial = try await LibraryTrial()
        let name = String(repeating: "\u{7530}", count: 83)  // 249 bytes and a slash
        let folders = try await chain(12, named: name, trial)
        #expect(await failure { _ = try await trial.folder("x", in: trial.place(folders[0])) } == .invalid)
        #expect(
            await failure {
                try await trial.move(.folder(folders[11].id), to: trial.top, named: String(repeating: "x", count: 250))
            } == .invalid)
        try await trial.move(.folder(folders[11].id), to: trial.top, named: String(repeating: "x", count: 248))
        #expect(await failure { _ = try await trial.folder("xx", in: trial.place(folders[0])) } == .invalid)
        _ = try await trial.folder("x", in: trial.place(folders[1]))
    }

    /// Earlier versions took them.
    @Test func whatIsTooDeepCanBeMended() async throws {
        let trial = try await LibraryTrial()
        let folders = try await chain(FolderReach.maxDepth, trial)
        let more = try await chain(5, named: "e", trial)
        try trial.store.write("") { db in
            try db.execute(
                sql: "UPDATE folder SET parent_id = ? WHERE id = ?", arguments: [folders[0].id, more[4].id])
        }
        #expect(
            await failure { try await trial.move(.folder(folders[97].id), to: trial.top, named: "longer") } == .invalid)
        try await trial.move(.folder(folders[97].id), to: trial.top, named: "c")
        try await trial.move(.folder(more[4].id), to: trial.place(folders[9]))
        // A folder that was deleted before the others went down.
        try await trial.store.delete(.folder(more[4].id), of: trial.ann)
        let holder = try await chain(8, named: "h", trial)
        try trial.store.write("") { db in
            try db.execute(
                sql: "UPDATE folder SET parent_id = ? WHERE id = ?", arguments: [holder[0].id, folders[97].id])
        }
        guard case .folder(let restored) = try await trial.store.restore(.folder(more[4].id), of: trial.ann) else {
            Issue.record("it is no folder any more")
            return
        }
        #expect(restored.parent == nil && restored.name == "e")
        #expect(try await trial.store.item(at: ["Fund1", "e", "e", "e", "e", "e"], of: trial.ann) != nil)
        #expect(try await trial.store.verify().isSound)
    }
}
