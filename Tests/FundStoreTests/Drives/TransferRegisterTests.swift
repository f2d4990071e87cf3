import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Transfers in rows: turns, files that arrive once, and ends.
struct TransferRegisterTests {
    @Test
    func aFileArrivesOnceWhereItBelongs() async throws {
        let harness = try await DriveHarness()
        let drives = harness.drives
        let id = try await harness.pull().id
        #expect(try await drives.nextTransfer(besides: [harness.ann]) == nil)
        let running = try #require(try await drives.nextTransfer(besides: []))
        #expect(running.id == id && running.state == .running && running.paths.map(\.description) == ["docs"])
        func add(_ text: String, _ path: String, _ name: String, _ folder: [String]) async throws -> FileEntry? {
            try await drives.addPulled(
                try harness.upload(text), from: try harness.path(path), version: "v", named: name, in: folder,
                modifiedAt: 1_000, of: id)
        }
        let first = try #require(try await add("one", "docs/a/x.txt", "x.txt", ["docs", "a"]))
        #expect(first.modifiedAt == 1_000 && first.name == "x.txt")
        #expect(try await drives.isPulled(try harness.path("docs/a/x.txt"), of: id))
        #expect(try await add("one", "docs/a/x.txt", "x.txt", ["docs", "a"]) == nil)
        // Names are those that the library can have, and folders are made once.
        let second = try #require(try await add("two", "docs/A/X.txt", "X\u{202E}.txt", ["docs", "A"]))
        #expect(second.name == "X_.txt" && second.folder == first.folder)
        let long = String(repeating: "é", count: 400) + ".pdf"
        #expect(try await add("three", "docs/l", long, [])?.name.utf8.count == 254)
        let taken = try #require(try await add("four", "docs/n", "x.txt", ["docs", "a"]))
        #expect(taken.name == "x(1).txt")
        // A file that has a folder's name stays, and the folder is found again.
        _ = try await add("five", "docs/f", "docs(1)", [])
        let below = try #require(try await add("six", "docs/g", "g", ["x.txt"]))
        #expect(try await add("seven", "docs/h", "h", ["x.txt"])?.folder == below.folder)
        _ = try await add("eight", "docs/i", "i", ["docs", "a", "x.txt"])
        let inFile = try #require(try await add("nine", "docs/j", "j", ["docs", "a", "x.txt"]))
        let folder = try #require(inFile.folder)
        #expect(try await harness.base.store.library.folder(folder, of: harness.ann).name == "x(2).txt")
        // Nothing comes into a place that is not the user's any more.
        try await harness.base.store.library.delete(.fund(harness.base.fund.id), if: nil, of: harness.ann)
        await #expect { _ = try await add("ten", "docs/k", "k", []) } throws: {
            ($0 as? DriveError)?.problem == .placeGone
        }
        try await drives.noteProgress(TransferProgress(files: 3, totalFiles: 4, failedFiles: 1, bytes: 9), of: id)
        try await drives.endTransfer(id, as: .failed, problem: .placeGone, detail: "k")
        let ended = try await drives.transfer(id, of: harness.ann)
        #expect(ended.state == .failed && ended.problem == .placeGone && ended.progress.failedFiles == 1)
        await #expect { _ = try await add("eleven", "docs/l2", "l", []) } throws: { hasCode(.conflict)($0) }
        let entry = try #require(
            try await harness.base.store.administration.audit(AuditFilter(), PageQuery()).items.first {
                $0.action == "drive.pull"
            })
        #expect(entry.subject == "Cloud" && entry.detail == "failed: 3 files, 1 failed, 9 bytes")
        #expect(entry.actor == "ann@example.com")
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func filesThatComeTogether() async throws {
        let harness = try await DriveHarness()
        let drives = harness.drives
        let (id, ended) = (try await harness.pull().id, try await harness.pull().id)
        while try await drives.nextTransfer(besides: []) != nil {}
        try await drives.endTransfer(ended, as: .cancelled, problem: nil, detail: nil)
        // Some are refused among those with which they are stored, and each path is taken once.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<150 {
                group.addTask {
                    let isRefused = number.isMultiple(of: 10)
                    do {
                        _ = try await drives.addPulled(
                            try harness.upload("\(number % 50)"), from: try harness.path("docs/\(number % 75)"),
                            version: nil, named: "x.txt", in: ["docs", "\(number % 7)"], modifiedAt: nil,
                            of: isRefused ? ended : id)
                        #expect(!isRefused)
                    } catch let error as StoreError where error.code == .conflict { #expect(isRefused) }
                }
            }
            try await group.waitForAll()
        }
        let paths = Set((0..<150).filter { !$0.isMultiple(of: 10) }.map { $0 % 75 })
        var (places, count) = ([harness.place], 0)
        while let place = places.popLast() {
            for item in try await harness.base.store.library.children(of: place, of: harness.ann) {
                if case .folder(let folder) = item {
                    places.append(LibraryPlace(fund: folder.fund, folder: folder.id))
                } else {
                    count += 1
                }
            }
        }
        #expect(count == paths.count)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func peopleTakeTurns() async throws {
        let harness = try await DriveHarness()
        let (drives, ann, bea) = (harness.drives, harness.ann, harness.bea.id)
        let fund = try await harness.base.store.library.addFund("B", of: bea)
        let other = try await drives.addDrive(NewDrive(name: "B", settings: try DriveHarness.settings()), of: bea)
        for _ in 0..<3 { _ = try await harness.pull() }
        for _ in 0..<2 {
            _ = try await drives.addTransfer(
                NewDriveTransfer(drive: other.id, work: .pull([.top], into: LibraryPlace(fund: fund.id))), of: bea)
        }
        var users: [User.ID] = []
        while let next = try await drives.nextTransfer(besides: []) { users.append(next.user) }
        #expect(users == [ann, bea, ann, bea, ann])
        // Transfers that a process left come again, but those that were cancelled meanwhile.
        let list = try await drives.transfers(of: ann, PageQuery(limit: 2))
        #expect(list.items.count == 2 && list.next != nil)
        let latest = list.items[0].id
        try await drives.cancelTransfer(latest, of: ann)
        #expect(try await drives.isCancelled(latest))
        await #expect { try await drives.cancelTransfer(latest, of: bea) } throws: { hasCode(.notFound)($0) }
        let lease = try #require(try await drives.transferLease())
        #expect(try await drives.transferLease() == nil)
        lease.end()
        #expect(try await drives.transfer(latest, of: ann).state == .cancelled)
        await #expect { try await drives.cancelTransfer(latest, of: ann) } throws: { hasCode(.conflict)($0) }
        try await drives.retryTransfer(latest, of: ann)
        await #expect { try await drives.retryTransfer(latest, of: ann) } throws: { hasCode(.conflict)($0) }
        // One that is put off waits; a disabled person's wait, too.
        _ = try await harness.base.store.administration.setDisabled(true, user: bea, actor: "test")
        var begun: [DriveTransfer.ID] = []
        while let next = try await drives.nextTransfer(besides: []) {
            #expect(next.user == ann)
            begun.append(next.id)
            try await drives.deferTransfer(
                next.id, until: .now + .seconds(60), problem: .busy, detail: "429")
        }
        #expect(begun.count == 3)
        #expect(try await drives.transfer(begun[0], of: ann).problem == .busy)
        // Removing the drive takes its transfers along.
        try await drives.removeDrive(harness.drive.id, of: ann)
        #expect(try await drives.transfers(of: ann, PageQuery()).items.isEmpty)
        #expect(try await drives.isCancelled(begun[0]))
        try await drives.endTransfer(begun[0], as: .cancelled, problem: nil, detail: nil)
        #expect(try harness.base.count("drive_transfer_part") == 2)
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func whatEndedLongAgoIsForgotten() async throws {
        let harness = try await DriveHarness()
        let (drives, ann) = (harness.drives, harness.ann)
        let file = try await harness.base.store.library.addFile(
            try harness.upload("x"), at: FileTarget("x", in: harness.place, ifTaken: .refuse), of: ann)
        func push(_ items: [LibraryItemID]) async throws -> DriveTransfer {
            try await drives.addTransfer(
                NewDriveTransfer(drive: harness.drive.id, work: .push(items, into: .top)), of: ann)
        }
        await #expect { _ = try await push([]) } throws: { ($0 as? StoreError)?.problem == .transferEmpty }
        await #expect { _ = try await push([.file(99)]) } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await push([.fund(harness.base.fund.id)]) } throws: { hasCode(.invalid)($0) }
        let id = try await push([.file(file.id)]).id
        let running = try #require(try await drives.nextTransfer(besides: []))
        #expect(running.direction == .push && running.items == [.file(file.id)] && running.paths == [.top])
        let path = try harness.path("x")
        let pushed = PushedFile(file.id, as: path)
        // Neither another name of the file nor another file of the name is this one.
        let others = [PushedFile(file.id, as: try harness.path("y")), PushedFile(99, as: path)]
        #expect(try await !drives.isWriting(path, for: pushed, of: id))
        try await drives.noteWriting(path, for: pushed, of: id)
        #expect(try await drives.isWriting(path, for: pushed, of: id))
        #expect(try await !drives.isPushed(pushed, of: id))
        try await drives.notePushed(pushed, of: id)
        #expect(try await drives.isPushed(pushed, of: id))
        for other in others {
            #expect(try await !drives.isWriting(path, for: other, of: id))
            #expect(try await !drives.isPushed(other, of: id))
            try await drives.notePushed(other, of: id)
        }
        #expect(try harness.base.count("drive_transfer_file") == 3)
        #expect(try await !drives.isPulled(path, of: id))
        // The path has another file now.
        try await drives.noteWriting(path, for: others[1], of: id)
        #expect(try await !drives.isWriting(path, for: pushed, of: id))
        #expect(try await drives.isWriting(path, for: others[1], of: id))
        // It gets another name: what stands under the first one is not its own.
        let numbered = try harness.path("x(1)")
        try await drives.noteWriting(numbered, for: others[1], of: id)
        #expect(try await !drives.isWriting(path, for: others[1], of: id))
        #expect(try await drives.isWriting(numbered, for: others[1], of: id))
        #expect(try await drives.removeOldTransfers(before: .now + .seconds(9)) == 0)
        try await drives.endTransfer(id, as: .done, problem: nil, detail: nil)
        #expect(try await drives.removeOldTransfers(before: .now + .seconds(9)) == 1)
        #expect(try harness.base.count("drive_transfer_file") == 0)
    }

    @Test
    func noMoreWaitThanMay() async throws {
        let harness = try await DriveHarness()
        let (drives, ann) = (harness.drives, harness.ann)
        let ended = try await harness.pull().id
        try await drives.cancelTransfer(ended, of: ann)
        for _ in 0..<DriveLimits.maxWaiting { _ = try await harness.pull() }
        func isRefused(_ error: any Error) -> Bool { (error as? StoreError)?.problem == .tooManyTransfers }
        await #expect { _ = try await harness.pull() } throws: { isRefused($0) }
        await #expect { try await drives.retryTransfer(ended, of: ann) } throws: { isRefused($0) }
        #expect(try await drives.transfer(ended, of: ann).state == .cancelled)
        let running = try #require(try await drives.nextTransfer(besides: []))
        try await drives.endTransfer(running.id, as: .done, problem: nil, detail: nil)
        try await drives.retryTransfer(ended, of: ann)
        #expect(try await drives.transfer(ended, of: ann).state == .queued)
        // A disabled person begins nothing again.
        try await drives.cancelTransfer(ended, of: ann)
        _ = try await harness.base.store.administration.setDisabled(true, user: ann, actor: "test")
        await #expect { try await drives.retryTransfer(ended, of: ann) } throws: { hasCode(.notFound)($0) }
    }
}
