import Foundation
import TestSupport
import Testing

@testable import FundClient

/// Random users on both sides, at work before and while the folder is brought in step, with runs that end at any step
/// and answers that are lost: in the end both sides are equal, and every version is still found. Some runs keep one
/// fund instead of all, go one way for a while, or have links in the folder.
@Suite struct ModelCheckTests {
    /// Every kind of run is among them: whole or one fund (each fourth), with links or without (each third).
    private static let usualRuns: UInt64 = 24

    /// `FUND_SYNC_RUNS` and `FUND_SYNC_SEED` for more of them, as `scripts/campaign/model` asks, and for one again.
    private static var seeds: [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["FUND_SYNC_SEED"].flatMap { UInt64($0) } ?? 1
        let runs = environment["FUND_SYNC_RUNS"].flatMap { UInt64($0) } ?? usualRuns
        return Array(first..<first + runs)
    }

    @Test func bothSidesAreEqualInTheEndAndNothingIsLost() async throws {
        let steps = ProcessInfo.processInfo.environment["FUND_SYNC_STEPS"].flatMap { Int($0) } ?? 60
        var failed: [UInt64] = []
        for seed in Self.seeds {
            let run = try ModelRun(seed: seed)
            let problem = try await run.run(steps: steps)
            if let problem {
                failed.append(seed)
                Issue.record("seed \(seed): \(problem)")
            }
            if failed.count >= 5 { break }
        }
        #expect(failed.isEmpty, "seeds \(failed)")
    }
}

/// One run of random users.
private final class ModelRun: @unchecked Sendable {
    private let server: ModelServer
    private let folder: ModelFolder
    /// Guards all below; taken by the users, who act between any two steps of the synchronization.
    private let lock = NSRecursiveLock()
    private var random: SeededGenerator
    private var count = 0
    /// Versions that must be found, until their user writes over them here.
    private var required: Set<Digest> = []
    private var isChaotic = true
    /// The folder is one fund.
    private let isOneFund: Bool
    private let hasLinks: Bool
    private var diary: [String] = []
    private var planProblems: [String] = []

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        isOneFund = seed % 4 == 3
        server = ModelServer(topIsFunds: !isOneFund)
        hasLinks = seed % 3 == 2
        folder = try ModelFolder()
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private static let names = ["a", "B", "b", "c.txt", "C.txt", "d.pdf", "é", "É", "f"]

    private func name() -> String { Self.names.randomElement(using: &random) ?? "a" }

    /// Each of its own length, so that no two are taken for one by size and time.
    private func version() -> [UInt8] {
        count += 1
        return Array("version \(count) ".utf8) + Array(repeating: UInt8(ascii: "x"), count: count)
    }

    func run(steps: Int) async throws -> String? {
        server.meddle = { [self] _ throws(ClientError) in
            let fails = lock.withLock {
                guard isChaotic else { return false }
                if chance(15) { act() }
                return chance(4)
            }
            // Ends the run: what is worth another try would be tried again after seconds.
            if fails { throw ClientError(.unauthenticated, "cut") }
        }
        var done = 0
        while done < steps {
            lock.withLock {
                let acts = Int.random(in: 1...8, using: &random)
                for _ in 0..<acts { act() }
                done += acts
            }
            await synchronize()
        }
        lock.withLock { isChaotic = false }
        try folder.removeLinks()
        var summary: SyncSummary?
        for _ in 0..<4 where summary?.isInStep != true { summary = await synchronize() }
        guard summary?.isInStep == true else {
            return "not in step: \(String(describing: summary)) \(differences)\n\(try lastPlan()) \(tail)"
        }
        if let problem = planProblems.first { return problem }
        if !differences.isEmpty { return "different: \(differences) \(tail)" }
        let names =
            server.everything.map(\.name) + folder.paths.keys.map { String($0.split(separator: "/").last ?? "") }
        if let name = names.first(where: SyncName.isTemporary) { return "still out of the way: \(name) \(tail)" }
        let lost = required.union(server.versions).subtracting(server.versions).subtracting(folder.versions)
        return lost.isEmpty ? nil : "lost \(lost.count) versions \(tail)"
    }

    private var tail: String { "\n" + diary.suffix(40).joined(separator: "\n") }

    private var differences: [String] {
        let (here, there) = (folder.paths, server.paths)
        var result: [String] = []
        for (path, digest) in here {
            if let other = there[path] {
                if other != digest { result.append("other bytes: \(path)") }
            } else if isOneFund || path.contains("/") || digest == nil {
                result.append("only here: \(path)")
            }
        }
        for path in there.keys where here[path] == nil { result.append("only there: \(path)") }
        return result.sorted()
    }

    @discardableResult
    private func synchronize() async -> SyncSummary? {
        do {
            var options = FolderSync.Options()
            options.fund = isOneFund ? FundID(1) : nil
            lock.withLock {
                if isChaotic, chance(20) { options.direction = chance(50) ? .up : .down }
            }
            options.settleTime = .zero
            options.patience = .zero
            options.mayDeleteMany = true
            let maxNew = lock.withLock { [1, 2, 5, 5000].randomElement(using: &random) ?? 1 }
            let sync = try FolderSync(
                folder.root, with: server, scope: "model", user: "ann", options: options, maxNew: maxNew,
                reachStep: { [self] () throws(SyncLocalError) in
                    let ends = lock.withLock {
                        guard isChaotic else { return false }
                        if chance(10) { act() }
                        return chance(3)
                    }
                    if ends { throw SyncLocalError(.stopped, "killed") }
                })
            note("-- sync \(options.direction)")
            defer { sync.close() }
            if let problem = try planProblem(sync) { planProblems.append(problem) }
            return try await sync.run { [self] event in
                if case .done(let action) = event { note("   \(action.verb) \(action.path) \(action.newPath ?? "")") }
                if case .problem(let path, let reason) = event { note("   problem \(path): \(reason)") }
            }
        } catch {
            note("   ended: \(error)")
            return nil
        }
    }

    /// Plan of a run, with the trees by which it goes.
    private func lastPlan() throws -> String {
        let sync = try FolderSync(
            folder.root, with: server, scope: "model", user: "ann", options: FolderSync.Options())
        var (comparison, planning) = (ComparisonOptions(), PlanOptions())
        (comparison.topIsFunds, planning.topIsFunds) = (!isOneFund, !isOneFund)
        defer { sync.close() }
        var trees = try sync.state.read {
            try TreeComparison.run(
                sync.folder, $0, TreeListing(RemoteTree(nodes: server.everything)), comparison)
        }
        FileDigests(sync.folder, known: [:], settleTime: .zero).fill(&trees.local)
        let plan = Planner.plan(
            base: trees.base, local: trees.local, remote: trees.remote, options: planning)
        let lines =
            plan.operations.map { "operation \($0)" } + plan.notices.map { "notice \($0)" }
            + plan.entities.enumerated().map { "entity \($0.offset) \($0.element)" }
            + trees.local.nodes.enumerated().map { "node \($0.offset) \($0.element)" }
            + ["stuck \(plan.isStuck), deferred \(trees.deferred), skipped \(trees.skipped)"]
        return lines.joined(separator: "\n")
    }

    /// The plan is equal whether all is looked at or only the differences.
    private func planProblem(_ sync: FolderSync) throws -> String? {
        let listing = TreeListing(RemoteTree(nodes: server.everything))
        var plans: [[String]] = []
        for isWhole in [true, false] {
            var options = ComparisonOptions()
            (options.isWhole, options.topIsFunds) = (isWhole, !isOneFund)
            var trees = try sync.state.read { try TreeComparison.run(sync.folder, $0, listing, options) }
            FileDigests(sync.folder, known: [:], settleTime: .zero).fill(&trees.local)
            var planOptions = PlanOptions()
            (planOptions.user, planOptions.mayDeleteMany, planOptions.topIsFunds) = ("ann", true, !isOneFund)
            let plan = Planner.plan(
                base: trees.base, local: trees.local, remote: trees.remote, options: planOptions)
            let actions = plan.actions(trees.local).map { "\($0.verb) \($0.path) \($0.newPath ?? "")" }
            let notes = plan.operations.compactMap { operation -> String? in
                switch operation {
                case .record(let id): "record \(plan.entities[id].name)"
                case .forget(let id): "forget \(plan.entities[id].name)"
                default: nil
                }
            }
            plans.append((actions + notes).sorted() + plan.notices.map { "\($0)" }.sorted())
        }
        guard plans[0] != plans[1] else { return nil }
        return "other plans:\n\(plans[0].joined(separator: "\n"))\n-- and\n\(plans[1].joined(separator: "\n"))\(tail)"
    }

    private func note(_ line: String) { lock.withLock { diary.append(line) } }

    // MARK: Users

    private func act() { if chance(50) { actHere() } else { actThere() } }

    private func actThere() {
        let all = server.everything
        // With one fund its top, too.
        let places = all.filter { !$0.kind.isFile }.map(\.key) + (isOneFund ? [nil] : [])
        guard let place = places.randomElement(using: &random) else {
            if !isOneFund { server.add(.fund, "fund \(name())", in: nil) }
            return
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: if !isOneFund { server.add(.fund, "fund \(name())", in: nil) }
        case 1...3:
            let (bytes, name) = (version(), name())
            if server.add(.file, name, in: place, bytes) != nil { note("there: new \(name) in \(id(place))") }
        case 4: server.add(.folder, name(), in: place)
        case 5, 6:
            guard let file = all.filter(\.kind.isFile).randomElement(using: &random) else { return }
            note("there: change \(file.name)")
            server.change(file.key, to: version())
        case 7, 8:
            guard let item = all.filter({ $0.kind != .fund }).randomElement(using: &random) else { return }
            let name = chance(50) ? item.name : name()
            note("there: move \(item.name) to \(name) in \(id(place))")
            server.rename(item.key, to: name, in: place)
        default:
            guard let item = all.filter({ $0.kind != .fund }).randomElement(using: &random) else { return }
            note("there: delete \(item.name)")
            server.remove(item.key)
        }
    }

    private func id(_ place: RemoteKey?) -> Int64 { place?.id ?? 0 }

    private func actHere() {
        let all = folder.paths
        let files = all.compactMap { $0.value == nil ? nil : $0.key }.sorted()
        let places = all.compactMap { $0.value == nil ? $0.key + "/" : nil }.sorted() + (isOneFund ? [""] : [])
        guard let place = places.randomElement(using: &random) else {
            try? folder.makeFolder("fund \(name())")
            return
        }
        let new = "\(place)\(name())"
        if hasLinks, chance(5) {
            note("here: link \(new)")
            try? folder.link(new)
            return
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: try? folder.makeFolder(chance(20) && !isOneFund ? "fund \(name())" : new)
        case 1...3:
            guard all[new] == nil else { return }
            note("here: new \(new)")
            put(version(), at: new)
        case 4, 5:
            guard let file = files.randomElement(using: &random) else { return }
            note("here: change \(file)")
            lose(file, all)
            let bytes = version()
            if chance(50) {
                // Editors put a new file in the place of the old one.
                try? folder.remove(file)
            }
            put(bytes, at: file)
        case 6, 7:
            guard let item = all.keys.filter({ isOneFund || $0.contains("/") }).sorted().randomElement(using: &random),
                all[new] == nil, !new.hasPrefix(item + "/"), item != new
            else { return }
            note("here: move \(item) to \(new)")
            try? folder.move(item, to: new)
        default:
            guard let item = all.keys.filter({ isOneFund || $0.contains("/") }).sorted().randomElement(using: &random)
            else {
                return
            }
            note("here: delete \(item)")
            for path in all.keys where path == item || path.hasPrefix(item + "/") { lose(path, all) }
            try? folder.remove(item)
        }
    }

    private func put(_ bytes: [UInt8], at name: String) {
        guard let file = fopen(folder.path(name), "w") else { return }
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, file) }
        fclose(file)
        required.insert(ModelServer.digest(bytes))
    }

    /// The user takes it away or writes over it.
    private func lose(_ path: String, _ all: [String: Digest?]) {
        if let digest = all[path].flatMap(\.self) { required.remove(digest) }
    }
}
