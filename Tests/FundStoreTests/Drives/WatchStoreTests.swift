import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Watched folders in rows: whose they are, and what a look may write.
struct WatchStoreTests {
    private static func add(
        _ path: String = "in", _ rules: WatchRules = WatchRules(), _ harness: DriveHarness
    ) async throws -> DriveWatch {
        let new = NewDriveWatch(
            drive: harness.drive.id, path: try harness.path(path), place: harness.place, rules: rules)
        return try await harness.drives.addWatch(new, of: harness.ann)
    }

    private static func file(_ name: String, _ state: WatchedFile.State) -> WatchedFile {
        WatchedFile(name: name, seen: "1", seenAt: .now, state: state)
    }

    private static func hasProblem(_ problem: InputProblem.Kind) -> @Sendable (any Error) -> Bool {
        { ($0 as? StoreError)?.problem == problem }
    }

    @Test
    func aWatchedFolderIsItsOwnersAlone() async throws {
        let harness = try await DriveHarness()
        let (drives, bea) = (harness.drives, harness.bea.id)
        let watch = try await Self.add(harness: harness)
        #expect(watch.state == .on && watch.rules == WatchRules() && watch.counts == WatchCounts())
        #expect(try await drives.watches(of: harness.ann) == [watch])
        #expect(try await drives.watches(of: bea).isEmpty)
        await #expect { _ = try await drives.watch(watch.id, of: bea) } throws: { hasCode(.notFound)($0) }
        await #expect { try await drives.removeWatch(watch.id, of: bea) } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await drives.refusedFiles(of: watch.id, bea) } throws: { hasCode(.notFound)($0) }
        await #expect {
            _ = try await drives.changeWatch(watch.id, DriveWatchChange(isOn: false), of: bea)
        } throws: { hasCode(.notFound)($0) }
        // Neither another person's drive nor their fund.
        let fund = try await harness.base.store.library.addFund("B", of: bea)
        await #expect {
            _ = try await drives.addWatch(
                NewDriveWatch(drive: watch.drive, path: .top, place: LibraryPlace(fund: fund.id)), of: bea)
        } throws: { hasCode(.notFound)($0) }
        await #expect {
            _ = try await drives.changeWatch(
                watch.id, DriveWatchChange(place: LibraryPlace(fund: fund.id)), of: harness.ann)
        } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await Self.add(harness: harness) } throws: { Self.hasProblem(.watchTaken)($0) }
        for minutes in [0, 1441] {
            await #expect { _ = try await Self.add("x", WatchRules(minutes: minutes), harness) } throws: {
                Self.hasProblem(.watchMinutes)($0)
            }
        }
        await #expect { _ = try await Self.add("x", WatchRules(.move, folder: "a/b"), harness) } throws: {
            hasCode(.invalid)($0)
        }
        for number in 1..<DriveLimits.maxWatches { _ = try await Self.add("\(number)", harness: harness) }
        await #expect { _ = try await Self.add("more", harness: harness) } throws: {
            Self.hasProblem(.tooManyWatches)($0)
        }
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
        // A drive takes its watched folders along.
        try await drives.removeDrive(harness.drive.id, of: harness.ann)
        #expect(try harness.base.count("drive_watch") == 0)
    }

    @Test
    func aLookWritesAllOrNothing() async throws {
        let harness = try await DriveHarness()
        let (drives, ann) = (harness.drives, harness.ann)
        let id = try await Self.add("in", WatchRules(.move), harness).id
        #expect(try await drives.nextWatch(besides: [ann]) == nil)
        let watch = try #require(try await drives.nextWatch(besides: []))
        #expect(watch.id == id)
        let found = WatchFindings(
            written: [Self.file("a", .due), Self.file("b", .waiting), Self.file("c", .refused)], pulled: ["a"],
            folders: 2, isEarly: true)
        // Its owner changes it meanwhile: the look does not count.
        _ = try await drives.changeWatch(id, DriveWatchChange(minutes: 10), of: ann)
        await #expect { _ = try await drives.noteLook(found, of: watch) } throws: { hasCode(.conflict)($0) }
        #expect(try await drives.watchedFiles(of: id).isEmpty)
        let again = try #require(try await drives.nextWatch(besides: []))
        #expect(try await drives.noteLook(found, of: again) == .begun)
        let noted = try await drives.watch(id, of: ann)
        #expect(noted.counts == WatchCounts(waiting: 2, refused: 1, folders: 2))
        let (next, last) = (try #require(noted.nextLookAt), try #require(noted.lookedAt))
        #expect(next - last == .seconds(60))
        #expect(try await drives.nextWatch(besides: []) == nil)
        await #expect { _ = try await drives.noteLook(found, of: noted) } throws: { hasCode(.conflict)($0) }
        // The file of its transfer is filed once, and no other one.
        let transfer = try #require(try await drives.nextTransfer(besides: []))
        #expect(transfer.watch == id && transfer.paths.map(\.description) == ["in/a"])
        func pull(_ path: String, _ text: String, _ version: String = "1") async throws -> FileEntry? {
            try await drives.addPulled(
                try harness.upload(text), from: try harness.path(path), version: version,
                named: path.split(separator: "/")
                    .last.map(String.init) ?? "", in: [], modifiedAt: nil, of: transfer.id)
        }
        for path in ["other/a", "in/x", "in/a/b"] {
            await #expect { _ = try await pull(path, "x") } throws: { hasCode(.invalid)($0) }
        }
        // Nor a state of it, or a file, that did not hold still.
        for (path, version) in [("in/a", "2"), ("in/b", "1")] {
            await #expect { _ = try await pull(path, "x", version) } throws: {
                ($0 as? DriveError)?.problem == .changed
            }
        }
        let file = try #require(try await pull("in/a", "one"))
        #expect(try await pull("in/a", "one") == nil)
        #expect(try await drives.watch(id, of: ann).counts.filed == 1)
        let row = try #require(try await drives.watchedFiles(of: id).first { $0.name == "a" })
        #expect(row.state == .filed && row.filed == "1" && row.seen == "1" && row.file == file.id)
        // A file with the same bytes under the same name is here already.
        try await drives.endTransfer(transfer.id, as: .failed, problem: .tooLarge, detail: nil)
        await #expect { try await drives.retryTransfer(transfer.id, of: ann) } throws: { hasCode(.conflict)($0) }
        try harness.base.store.connection.write("make it due") { try $0.execute("UPDATE drive_watch SET due_at = 1") }
        let due = try #require(try await drives.nextWatch(besides: []))
        try await drives.notePutAway("a", marked: nil, of: id)
        _ = try await drives.noteLook(
            WatchFindings(written: [Self.file("a", .due)], pulled: ["a"]), of: due)
        let second = try #require(try await drives.nextTransfer(besides: []))
        let same = try await drives.addPulled(
            try harness.upload("one"), from: try harness.path("in/a"), version: "1", named: "a", in: [],
            modifiedAt: nil, of: second.id)
        #expect(same == nil)
        #expect(try await drives.isPulled(try harness.path("in/a"), of: second.id))
        #expect(try await drives.watch(id, of: ann).counts.filed == 1)
        // Removing it cancels what is on its way.
        try await drives.removeWatch(id, of: ann)
        #expect(try await drives.isCancelled(second.id))
        await #expect {
            _ = try await drives.addPulled(
                try harness.upload("late"), from: try harness.path("in/b"), version: "3", named: "b", in: [],
                modifiedAt: nil, of: second.id)
        } throws: { hasCode(.conflict)($0) }
        #expect(try harness.base.count("drive_watch_file") == 0)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    /// Files that come at once, with names of one key and the same bytes, are one.
    @Test
    func theSameFileComesOnceFromOneFolder() async throws {
        let harness = try await DriveHarness()
        let drives = harness.drives
        let names = (0..<32).map { number in
            String(zip("abcde", 0...).map { number >> $1 & 1 == 1 ? Character($0.uppercased()) : $0 })
        }
        let id = try await Self.add(harness: harness).id
        let watch = try #require(try await drives.nextWatch(besides: []))
        let found = WatchFindings(written: names.map { Self.file($0, .due) }, pulled: names)
        #expect(try await drives.noteLook(found, of: watch) == .begun)
        let transfer = try #require(try await drives.nextTransfer(besides: []))
        let added = try await withThrowingTaskGroup(of: FileEntry?.self) { group in
            for name in names {
                let (upload, path) = (try harness.upload("one"), try harness.path("in/\(name)"))
                group.addTask {
                    try await drives.addPulled(
                        upload, from: path, version: "1", named: name, in: [], modifiedAt: nil, of: transfer.id)
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 == nil ? 0 : 1 }
        }
        #expect(added == 1)
        #expect(try await drives.watchedFiles(of: id).allSatisfy { $0.state == .done && $0.filed == "1" })
        #expect(try await drives.watch(id, of: harness.ann).counts.filed == 1)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    /// A folder in the fund is made with the watch that files into it, or not at all.
    @Test
    func aNewFolderComesWithItsWatch() async throws {
        let harness = try await DriveHarness()
        _ = try await Self.add(harness: harness)
        func add(_ path: String) async throws -> DriveWatch {
            let new = NewDriveWatch(
                drive: harness.drive.id, path: try harness.path(path), place: harness.place, newFolder: "Scans")
            return try await harness.drives.addWatch(new, of: harness.ann)
        }
        await #expect { _ = try await add("in") } throws: { Self.hasProblem(.watchTaken)($0) }
        let folder = try #require(try await add("scans").place.folder)
        #expect(try await harness.base.store.library.folder(folder, of: harness.ann).name == "Scans")
        await #expect { _ = try await add("other") } throws: { hasCode(.alreadyExists)($0) }
        #expect(try await harness.drives.watches(of: harness.ann).count == 2)
    }

    /// Folders of a person that are due for long do not hold up those of another, which are due since a moment.
    @Test
    func peopleTakeTurns() async throws {
        let harness = try await DriveHarness()
        let (drives, bea) = (harness.drives, harness.bea.id)
        let fund = try await harness.base.store.library.addFund("B", of: bea)
        let other = try await drives.addDrive(NewDrive(name: "B", settings: try DriveHarness.settings()), of: bea)
        let first = try await Self.add("1", harness: harness).id
        let second = try await Self.add("2", harness: harness).id
        let third = try await drives.addWatch(
            NewDriveWatch(drive: other.id, path: .top, place: LibraryPlace(fund: fund.id)), of: bea
        ).id
        try harness.base.store.connection.write("have them due") { db in
            for (watch, due) in [(first, 1), (second, 2), (third, 1_000)] {
                try db.execute("UPDATE drive_watch SET due_at = ? WHERE id = ?", [due, watch])
            }
        }
        let next = try #require(try await drives.nextWatch(besides: []))
        #expect(next.id == first)
        #expect(try await drives.noteLook(WatchFindings(), of: next) == .idle)
        #expect(try await drives.nextWatch(besides: [])?.id == third)
        try await drives.noteFailedLook(.unreachable, nil, of: third)
        // A look that a clock tells of which went back since does not put a person behind all others.
        try harness.base.store.connection.write("move the clock") { db in
            try db.execute(
                "UPDATE drive_watch SET looked_at = ? WHERE id = ?", [Timestamp.now + .seconds(86_400), first])
            try db.execute("UPDATE drive_watch SET due_at = 1 WHERE id = ?", [third])
        }
        #expect(try await drives.nextWatch(besides: [])?.id == second)
    }

    /// A clock that goes back makes no folder wait for years, and disabled people's folders wait.
    @Test
    func foldersAreLookedAtInTurn() async throws {
        let harness = try await DriveHarness()
        let (drives, ann, bea) = (harness.drives, harness.ann, harness.bea.id)
        let fund = try await harness.base.store.library.addFund("B", of: bea)
        let other = try await drives.addDrive(NewDrive(name: "B", settings: try DriveHarness.settings()), of: bea)
        let first = try await Self.add(harness: harness)
        let second = try await drives.addWatch(
            NewDriveWatch(drive: other.id, path: .top, place: LibraryPlace(fund: fund.id)), of: bea)
        try await drives.noteFailedLook(.unreachable, "down", of: second.id)
        #expect(try await drives.nextWatch(besides: [])?.id == first.id)
        #expect(try await drives.nextWatch(besides: [ann]) == nil)
        let failing = try await drives.watch(second.id, of: bea)
        #expect(failing.problem == .unreachable && failing.detail == "down" && failing.isFailing)
        // New settings of the drive have it tried at once.
        _ = try await drives.changeDrive(other.id, try DriveHarness.settings("new"), of: bea)
        #expect(try await drives.nextWatch(besides: [ann])?.id == second.id)
        try harness.base.store.connection.write("move the clock") {
            try $0.execute("UPDATE drive_watch SET due_at = ?", [Timestamp.now + .seconds(3 * 86_400)])
        }
        #expect(try await drives.nextWatch(besides: [ann])?.id == second.id)
        _ = try await harness.base.store.administration.setDisabled(true, user: bea, actor: "test")
        #expect(try await drives.nextWatch(besides: [ann]) == nil)
        _ = try await drives.changeWatch(first.id, DriveWatchChange(isOn: false), of: ann)
        #expect(try await drives.nextWatch(besides: []) == nil)
        #expect(try await drives.watch(first.id, of: ann).nextLookAt == nil)
    }
}

extension WatchStoreTests {
    fileprivate static func add(_ path: String = "in", harness: DriveHarness) async throws -> DriveWatch {
        try await add(path, WatchRules(), harness)
    }
}
