import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Transfers of people whose stores are stuck, beside those of others.
struct TransferFairnessTests {
    /// A person with a fund and a drive, whose transfers begin with `pull`.
    private struct Person {
        let user: User.ID
        let place: LibraryPlace
        let drive: Drive.ID

        init(_ name: String, _ store: FundStore) async throws {
            user = try await store.administration.addUser(
                email: "\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
            ).id
            let fund = try await store.administration.addFund(name: name, owner: user, aliases: [], actor: "test")
            place = LibraryPlace(fund: fund.id)
            let settings = try DriveSettings(.webdav, ["url": "https://a.example/", "user": "a", "pass": "b"])
            drive = try await store.drives.addDrive(NewDrive(name: "D", settings: settings), of: user).id
        }

        func pull(_ path: String, _ store: FundStore) async throws -> DriveTransfer.ID {
            let work = NewDriveTransfer.Work.pull([try #require(DrivePath(path))], into: place)
            return try await store.drives.addTransfer(NewDriveTransfer(drive: drive, work: work), of: user).id
        }
    }

    /// Runs transfers while `body` does.
    private static func running<Value: Sendable>(
        _ runner: TransferRunner, _ body: () async throws -> Value
    ) async throws -> Value {
        let running = Task { await runner.run() }
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        running.cancel()
        await running.value
        return try result.get()
    }

    /// Has the drive send nothing of what is named `stuck`.
    private static func stick(_ memory: MemoryDrive, telling begun: Signal) {
        memory.state.withLock { state in
            state.beforeRead = { path, _ in
                guard path.hasPrefix("stuck") else { return }
                begun.raise()
                await untilCancelled()
                throw CancellationError()
            }
        }
    }

    /// Five of six people have stores that send nothing: the last one gets their files.
    @Test
    func othersGoOnBesideStuckStores() async throws {
        var files: [String: String] = ["small/a": "one", "small/b": "two"]
        for number in 0..<8 { files["stuck/\(number)"] = "never" }
        var limits = TransferLimits(maxFileBytes: .max)
        limits.pace = DrivePace(silentSeconds: .infinity, rateSeconds: .infinity)
        let harness = try await TransferHarness(files, limits: limits)
        let begun = Signal()
        Self.stick(harness.memory, telling: begun)
        let store = harness.store
        try await Self.running(harness.runner) {
            for number in 0..<5 {
                let known = begun.count
                _ = try await Person("stuck\(number)", store).pull("stuck", store)
                _ = try await begun.count(after: known)
            }
            let last = try await Person("last", store)
            let id = try await last.pull("small", store)
            try await eventually { try await store.drives.transfer(id, of: last.user).state == .done }
        }
        // Two have four places each, and the others one.
        #expect(begun.count <= 12)
    }

    /// A transfer that moves nothing for some minutes is put off, and the next one takes its place.
    @Test
    func aTransferThatMovesNothingIsPutOff() async throws {
        let harness = try await TransferHarness(["stuck/a": "never", "small": "one"])
        let time = Mutex(ContinuousClock.now)
        let (begun, putOff) = (Signal(), Signal())
        Self.stick(harness.memory, telling: begun)
        let store = harness.store
        let runner = TransferRunner(
            store.drives, harness.memory, store.library, limits: TransferLimits(maxFileBytes: .max),
            commits: store.library.commits, pause: { _ in .seconds(3000) }, now: { time.withLock { $0 } },
            observe: { if case .putOff(_, let error) = $0, error.problem == .tooSlow { putOff.raise() } })
        let (stuck, next) = (try await harness.pull("stuck"), try await harness.pull("small"))
        try await Self.running(runner) {
            _ = try await begun.count(after: 0)
            // The first look at its pace may come later than this.
            while putOff.count == 0 {
                time.withLock { $0 += .seconds(60) }
                await putOff.wait(after: 0, atMost: .milliseconds(100))
            }
            try await eventually { try await store.drives.transfer(next, of: harness.ann.id).state == .done }
        }
        let transfer = try await store.drives.transfer(stuck, of: harness.ann.id)
        #expect(transfer.state == .queued && transfer.problem == .tooSlow)
    }

    /// A folder may take longer to be listed than a transfer may be silent.
    @Test
    func aLongListingIsNotPutOff() async throws {
        let harness = try await TransferHarness(["stuck/a": "never", "listed/a": "one"])
        let time = Mutex(ContinuousClock.now)
        let (read, listed, go, putOff) = (Signal(), Signal(), Signal(), Signal())
        Self.stick(harness.memory, telling: read)
        harness.memory.state.withLock { state in
            state.beforeListing = { path in
                guard path == "listed" else { return }
                listed.raise()
                _ = try await go.count(after: 0)
            }
        }
        let (store, stuck) = (harness.store, harness.ann.id)
        let isPutOff = Flag()
        let runner = TransferRunner(
            store.drives, harness.memory, store.library, limits: TransferLimits(maxFileBytes: .max),
            commits: store.library.commits, pause: { _ in .zero }, now: { time.withLock { $0 } },
            observe: { event in
                guard case .putOff(let transfer, _) = event else { return }
                if transfer.user == stuck { putOff.raise() } else { isPutOff.raise() }
            })
        try await Self.running(runner) {
            let lister = try await Person("lister", store)
            let id = try await lister.pull("listed", store)
            _ = try await listed.count(after: 0)
            _ = try await harness.pull("stuck")
            _ = try await read.count(after: 0)
            // The other one is too slow some times over, as the pace of both is looked at.
            while putOff.count < 3 {
                time.withLock { $0 += .seconds(60) }
                let known = putOff.count
                store.library.commits.raise()
                await putOff.wait(after: known, atMost: .milliseconds(50))
            }
            go.raise()
            try await eventually { try await store.drives.transfer(id, of: lister.user).state == .done }
        }
        #expect(!isPutOff.isRaised)
    }

    /// One of six transfers that go on for hours makes room for a seventh, and loses nothing. The one whose turn is
    /// over first cannot, in the middle of a file that does not come: another does.
    @Test
    func longTransfersTakeTurns() async throws {
        let files = (0..<6).map { ("long\($0)/f", "\($0)") } + [("small/a", "one")]
        let harness = try await TransferHarness(Dictionary(uniqueKeysWithValues: files))
        let (begun, step, go, isEnd) = (Signal(), Signal(), Signal(), Flag())
        let time = Mutex(ContinuousClock.now)
        let memory = harness.memory
        memory.state.withLock { state in
            state.beforeRead = { path, _ in
                guard path == "long0/f" else { return }
                begun.raise()
                _ = try await go.count(after: 0)
            }
            // The folders of the others are found to have one more, each time that one is listed.
            state.beforeListing = { [weak memory] path in
                let known = step.count
                guard path.hasPrefix("long"), path != "long0", !isEnd.isRaised else { return }
                begun.raise()
                _ = try await step.count(after: known)
                memory?.state.withLock { $0.files["\(path)/n/f"] = .init(bytes: [1]) }
            }
        }
        var limits = TransferLimits(maxFileBytes: .max)
        limits.pace = DrivePace(silentSeconds: .infinity, rateSeconds: .infinity)
        let (store, commits) = (harness.store, harness.store.library.commits)
        let runner = TransferRunner(
            store.drives, memory, store.library, limits: limits, commits: commits, now: { time.withLock { $0 } })
        try await Self.running(runner) {
            var long: [(user: User.ID, id: DriveTransfer.ID)] = []
            for number in 0..<6 {
                let person = try await Person("long\(number)", store)
                let known = begun.count
                long.append((person.user, try await person.pull("long\(number)", store)))
                _ = try await begun.count(after: known)
                time.withLock { $0 += .seconds(1) }
            }
            let last = try await Person("last", store)
            let id = try await last.pull("small", store)
            try await eventually {
                time.withLock { $0 += .seconds(700) }
                commits.raise()
                step.raise()
                return try await store.drives.transfer(id, of: last.user).state == .done
            }
            let first = try await store.drives.transfer(long[0].id, of: long[0].user)
            #expect(first.state == .running)
            isEnd.raise()
            step.raise()
            go.raise()
            for (user, id) in long {
                try await eventually { try await store.drives.transfer(id, of: user).state == .done }
                #expect(try await store.drives.transfer(id, of: user).problem == nil)
            }
        }
    }

    /// Steps and bytes count, bytes that moved for nothing included; none of them ever counts less.
    @Test
    func workGrowsWithBytesAndSteps() {
        let count = TransferCount()
        count.move(10)
        count.move(-10)
        #expect(count.work == 10)
        count.step()
        count.arrive()
        #expect(count.work == 10 + 2 * DrivePace.leastBytes)
    }
}
