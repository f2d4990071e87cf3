internal import Foundation
internal import Synchronization

/// Keeps a folder of this machine in step with the funds of a user: both ways, once or for good.
///
/// No version of a file that was ever complete on either side is lost: what changed on both sides is kept twice, what
/// is replaced or deleted here lies in `.fund/trash` of the folder for 30 days, what is replaced or deleted there in
/// the server's trash. One process keeps a folder at a time. It may be killed at any moment; the next run goes on.
public final class FolderSync: Sendable {
    /// The side that follows the other.
    public typealias Direction = SyncDirection

    /// Settings of a synchronization.
    public struct Options: Sendable, Hashable {
        /// Which side follows the other.
        public var direction = Direction.both
        /// Only this fund, its content at the top of the folder; nil for all funds, each a folder at the top.
        public var fund: FundID?
        /// Reports the actions without doing them.
        public var isDryRun = false
        /// Deletes more than 100 files, or more than a third of all, without asking.
        public var mayDeleteMany = false
        /// A file that changed so short a time ago may not be complete, and waits.
        public var settleTime = Duration.seconds(2)
        /// Time for which a run waits for files that go on changing.
        public var patience = Duration.seconds(20)

        /// Both ways, all funds.
        public init() {}
    }

    let folder: LocalFolder
    let remote: any RemoteSide
    let state: SyncState
    let options: Options
    private let user: String
    private let now: @Sendable () -> Date
    private let digests = DigestMemory()
    private let absences = AbsenceMemory()
    private let resumed = ResumePoints()
    /// New things that one look gives at most: more of them are done one part after the other, so that their number
    /// takes no memory.
    private let maxNew: Int

    /// Limit of looks at both sides in one run.
    private static let maxPasses = 50
    /// Limit of looks in a row after which nothing could be done.
    private static let maxIdlePasses = 3
    /// Limit of failures of the network in a row.
    private static let maxFailures = 4
    private let backoff: Backoff

    /// - Parameters:
    ///   - scope: what the folder is kept in step with, for the refusal of another one.
    ///   - user: for the names of conflict copies.
    ///   - maxNew: new things that one look gives at most.
    ///   - backoff: waits after failures of the network.
    init(
        _ path: String, with remote: any RemoteSide, scope: String, user: String, options: Options,
        maxNew: Int = 4000, backoff: Backoff = Backoff(first: .seconds(1), most: .seconds(20)),
        now: @escaping @Sendable () -> Date = { Date() },
        reachStep: @escaping @Sendable () throws(SyncLocalError) -> Void = {}
    ) throws(ClientError) {
        (self.remote, self.options, self.maxNew, self.backoff, self.now) = (
            remote, options, max(1, maxNew), backoff, now
        )
        self.user = user.isEmpty ? "me" : user
        do {
            folder = try LocalFolder(path, reachStep: reachStep)
            state = try SyncState(path: folder.ownPath("state.sqlite"))
            if let known = try state.setting("scope"), known != scope {
                throw ClientError(.conflict, "this folder is kept in step with \(known), not with \(scope)")
            }
            try state.set("scope", to: scope)
            remote.remember(in: state)
        } catch { throw ClientError(syncing: error) }
    }

    deinit { close() }

    /// Lets another process, or another `FolderSync`, keep the folder. A run after that fails.
    public func close() {
        state.close()
        folder.release()
    }

    // MARK: Running

    /// Brings both sides in step.
    ///
    /// Throws what ends a run: `unreachable`, `unauthenticated`, `cancelled` and the like; what was done until then
    /// stays done. What only one file suffers from is in `SyncSummary.problems`.
    /// - Parameter report: called from any thread while it goes on.
    public func run(report: @escaping @Sendable (SyncEvent) -> Void = { _ in }) async throws(ClientError) -> SyncSummary
    {
        var course = Course(maxNew: options.isDryRun ? .max : maxNew, end: ContinuousClock.now + options.patience)
        // Only at the end: what one look leaves alone another may bring in step.
        defer {
            for (path, reason) in course.notices.sorted(by: { $0.key < $1.key }) {
                report(.problem(path: path, reason: reason))
            }
        }
        do {
            if !options.isDryRun { folder.tidyUp(day: day, now: now().timeIntervalSince1970) }
            while course.passes < Self.maxPasses {
                course.passes += 1
                report(.looking)
                try Task.checkCancellation()
                let goesOn: Bool
                do {
                    goesOn = try await pass(&course, report)
                    (course.failures, course.failure) = (0, nil)
                } catch let error as ClientError {
                    // Another look finds things that arrived although their answer was lost.
                    course.failures += 1
                    course.failure = error
                    guard error.isWorthRetrying, !error.wasRetried, course.failures <= Self.maxFailures else {
                        throw error
                    }
                    try await Task.sleep(for: backoff.delay(after: course.failures, asked: error.retryAfter))
                    continue
                }
                if !goesOn { break }
            }
            if let failure = course.failure { throw failure }
            course.summary.problems = course.notices.merging(course.problems) { $1 }
            return course.summary
        } catch { throw ClientError(syncing: error) }
    }

    /// State of a run from one look to the next.
    private struct Course {
        var summary = SyncSummary()
        /// Things that the last plan leaves alone, with the reasons, by paths.
        var notices: [String: String] = [:]
        /// Failures by paths.
        var problems: [String: String] = [:]
        var passes = 0
        /// Failures of the network in a row, with nothing done between.
        var failures = 0
        /// Failure of the last look.
        var failure: ClientError?
        /// Looks in a row after which nothing could be done.
        var idlePasses = 0
        /// New things that a look gives at most.
        var maxNew: Int
        /// New things that failed: others come first.
        var failed: Set<SyncIdentity> = []
        /// Until when it waits for files that go on changing.
        var end: ContinuousClock.Instant
    }

    /// Looks at both sides and does what is to be done. False when there is nothing more to be done now.
    private func pass(_ course: inout Course, _ report: @escaping @Sendable (SyncEvent) -> Void) async throws -> Bool {
        let (plan, trees) = try await look(&course, report)
        take(plan, into: &course.summary)
        course.notices = Dictionary(plan.notices.map { ($0.path, $0.reason) }, uniquingKeysWith: { $1 })
        let isAll = trees.deferred == 0 && trees.skipped == 0 && !plan.isStuck
        let isInStep = plan.operations.isEmpty && plan.heldDeletes == nil && !plan.isUnsettled && isAll
        course.summary.isInStep = isInStep
        if options.isDryRun {
            for action in plan.actions(trees.local) {
                course.summary.counts[action.verb, default: 0] += 1
                course.summary.bytes += action.bytes ?? 0
                report(.done(action))
            }
            return false
        }
        if isInStep {
            try state.forgetFormer()
            return false
        }
        report(
            .planned(
                operations: plan.operations.count + trees.deferred,
                bytes: plan.bytes(trees.local) + trees.deferredBytes))
        var execution = SyncExecution(
            plan, trees.local, folder, remote, state, day: day, resumed: resumed, report: report)
        let result = await execution.runCatching()
        for action in execution.actions {
            course.summary.counts[action.verb, default: 0] += 1
            course.summary.bytes += action.bytes ?? 0
        }
        for action in execution.actions { course.problems[action.newPath ?? action.path] = nil }
        course.problems.merge(execution.problems) { $1 }
        let hasGrown = resumed.hasGrown()
        if execution.doneCount > 0 || hasGrown { course.failures = 0 }
        if hasGrown || execution.doneCount > 0 && trees.deferred > 0 { course.passes = 0 }
        if let result { throw result }
        if trees.deferred > 0 {
            course.failed.formUnion(execution.failed)
            if execution.doneCount == 0 {
                // The deferred things may be those that the others wait for.
                course.maxNew = course.maxNew > .max / 4 ? .max : course.maxNew * 4
            }
            return true
        }
        course.idlePasses = execution.doneCount > 0 ? 0 : course.idlePasses + 1
        if execution.doneCount > 0 { return true }
        if !execution.unforeseen.isEmpty {
            if course.idlePasses < Self.maxIdlePasses { return true }
            // It will not be otherwise the next time.
            course.problems.merge(execution.unforeseen) { $1 }
            for (path, reason) in execution.unforeseen { report(.problem(path: path, reason: reason)) }
        }
        guard plan.isUnsettled, ContinuousClock.now < course.end else { return false }
        try await Task.sleep(for: max(options.settleTime, .milliseconds(50)))
        return true
    }

    /// Plans by both sides as they are now.
    private func look(
        _ course: inout Course, _ report: @Sendable (SyncEvent) -> Void
    ) async throws -> (SyncPlan, ComparedTrees) {
        let listing = try await remote.listing()
        var isOther = false
        if let history = listing.history {
            isOther = try state.isOther(history)
            if isOther, !options.isDryRun { try state.forgetServer(for: history) }
        }
        if isOther, !course.summary.isOtherHistory {
            course.summary.isOtherHistory = true
            report(.otherHistory)
        }
        var comparison = ComparisonOptions()
        (comparison.direction, comparison.topIsFunds) = (options.direction, options.fund == nil)
        (comparison.maxNew, comparison.skipped) = (course.maxNew, course.failed)
        let trees = try await compare(listing, comparison, isForgotten: isOther && options.isDryRun)
        var planOptions = PlanOptions()
        planOptions.direction = options.direction
        planOptions.topIsFunds = options.fund == nil
        planOptions.user = user
        planOptions.day = day
        planOptions.mayDeleteMany = options.mayDeleteMany
        planOptions.unchangedFiles = trees.unchangedFiles
        // A dry run says what would be done, sooner or later.
        if options.settleTime > .zero, !options.isDryRun {
            planOptions.settledAbsences = absences.settled(for: options.settleTime)
        }
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: planOptions)
        absences.keep(plan.absences)
        return (plan, trees)
    }

    /// Before it looks: what a run did that ended before it could write that down.
    private func recordWhatWasDone(_ listing: any RemoteListing) throws {
        try listing.read { try state.forgetDeleted(in: $0) }
        let files = try state.unrecordedFiles()
        if files.isEmpty { return }
        let present = folder.stillHere(files)
        var arrived: [(file: UnrecordedFile, node: RemoteNode)] = []
        try listing.read { arrived = try UnrecordedFile.arrived(present, in: $0) }
        try state.recordArrived(arrived)
    }

    /// - Parameter isForgotten: as it would be if what is known of the server were forgotten.
    private func compare(
        _ listing: any RemoteListing, _ comparison: ComparisonOptions, isForgotten: Bool
    ) async throws -> ComparedTrees {
        let (folder, state, known, settleTime) = (folder, state, digests.all, options.settleTime)
        // Reads folders and files, which must not hold up the threads of tasks.
        let trees = try await withCheckedThrowingContinuation { (done: CheckedContinuation<ComparedTrees, any Error>) in
            DispatchQueue.global().async {
                done.resume(
                    with: Result {
                        if !self.options.isDryRun { try self.recordWhatWasDone(listing) }
                        var trees = ComparedTrees()
                        try listing.read { remote in
                            let compare = { (base: BasePlaces) in
                                try TreeComparison.run(folder, base, remote, comparison)
                            }
                            trees = try isForgotten ? state.readWithoutServer(compare) : state.read(compare)
                        }
                        FileDigests(folder, known: known, settleTime: settleTime).fill(&trees.local)
                        return trees
                    })
            }
        }
        digests.keep(trees.local)
        return trees
    }

    private func take(_ plan: SyncPlan, into summary: inout SyncSummary) {
        summary.heldDeletesHere = plan.heldDeletes?.local ?? 0
        summary.heldDeletesThere = plan.heldDeletes?.remote ?? 0
        summary.knownFiles = plan.heldDeletes?.known ?? 0
        summary.isWaiting = plan.isUnsettled
    }

    /// Today by this machine's calendar, as `2026-11-21`.
    private var day: String {
        let parts = Calendar(identifier: .gregorian).dateComponents([.year, .month, .day], from: now())
        func padded(_ number: Int?, _ width: Int) -> String {
            let text = String(number ?? 0)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(parts.year, 4))-\(padded(parts.month, 2))-\(padded(parts.day, 2))"
    }
}

/// Digests of local files that were read and have no row.
private final class DigestMemory: Sendable {
    private let digests = Mutex<[Fingerprint: Digest]>([:])

    var all: [Fingerprint: Digest] { digests.withLock { $0 } }

    func keep(_ tree: LocalTree) {
        var found: [Fingerprint: Digest] = [:]
        for node in tree.nodes { if let digest = node.digest { found[node.fingerprint] = digest } }
        digests.withLock { $0 = found }
    }
}

/// Remembers since when things are missing here that the last look did not find. A delete waits as long as a write: in
/// a folder that changes all the time, nothing else tells how long a thing has been missing.
private final class AbsenceMemory: Sendable {
    private let since = Mutex<[BaseRow.ID: ContinuousClock.Instant]>([:])

    func settled(for time: Duration) -> Set<BaseRow.ID> {
        let latest = ContinuousClock.now - time
        return since.withLock { since in Set(since.lazy.filter { $0.value <= latest }.map(\.key)) }
    }

    func keep(_ missing: Set<BaseRow.ID>) {
        let now = ContinuousClock.now
        since.withLock { since in
            let known = since
            since = Dictionary(uniqueKeysWithValues: missing.map { ($0, known[$0] ?? now) })
        }
    }
}

extension ClientError {
    /// For callers of the library, who know one kind of error.
    init(syncing error: any Error) {
        switch error {
        case let error as ClientError: self = error
        case let error as SyncLocalError:
            let code: Code =
                switch error.code {
                case .noSpace: .noSpaceHere
                case .taken: .conflict
                case .busy: .busy
                default: .local
                }
            self.init(code, error.detail)
        case is CancellationError: self.init(.cancelled, "cancelled")
        default: self.init(local: error)
        }
    }
}
