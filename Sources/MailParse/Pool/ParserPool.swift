package import ChildProcesses
internal import Glibc
package import FundCore
internal import Synchronization

/// A pool of child processes that take messages apart. A child that crashes, hangs, takes too much memory or breaks the
/// protocol costs the message that it had; the next message gets a new child.
package final class ParserPool: MessageParser, MailSanitizer, FeedParser, Sendable {
    package let concurrency: Int
    private let workers: ResourcePool<PooledWorker>
    private let record: ChildRecord

    /// Starts nothing yet: each child starts with the first message that needs it, or with `warmUp`.
    /// - Parameters:
    ///   - executable: the program that answers to `parse-worker`: `/proc/self/exe`, or its path for tests.
    ///   - stagingDirectory: where decoded attachments wait for the store, in files without a name.
    ///   - concurrency: one child for each core unless told otherwise.
    ///   - maxFeedSeconds: limit for one document of the web; nil for the one of documents that a schedule fetches.
    ///   - honoursPoison: for tests, and only in debug builds: see `Poison`.
    package convenience init(
        executable: String, stagingDirectory: String, concurrency: Int = ParserPool.defaultConcurrency,
        maxFeedSeconds: Double? = nil, honoursPoison: Bool = false
    ) {
        var recipe = ChildRecipe(executable: executable, stagingDirectory: stagingDirectory)
        if let maxFeedSeconds { recipe.feedSeconds = maxFeedSeconds }
        if honoursPoison { recipe.debug = ParseRequest.DebugMarks.poison.rawValue }
        self.init(recipe, concurrency: concurrency)
    }

    init(_ recipe: ChildRecipe, concurrency: Int) {
        let record = ChildRecord()
        self.record = record
        self.concurrency = max(concurrency, 1)
        workers = ResourcePool((1...max(concurrency, 1)).map { PooledWorker(recipe, number: $0, record: record) })
    }

    /// One child for each core that is online.
    package static var defaultConcurrency: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

    /// Children that had to be replaced, since the start.
    package var restartCount: Int { record.restarts }

    /// Confinement of the child that was started last; nil before the first.
    package var confinement: ChildConfinement? { record.confinement }

    package func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result {
        try await withPlace { try await $0.run(body) }
    }

    package func warmUp() {
        for worker in workers.idle { worker.warmUp() }
    }

    private func withPlace<Result: Sendable>(
        _ body: (PooledWorker) async throws -> Result
    ) async throws -> Result {
        let worker: PooledWorker
        do { worker = try await workers.acquire() } catch ResourcePoolError.closed {
            throw ParserError(.closed, "the parser is closed")
        }
        defer {
            // Not awaited: the child ends when its socket is closed.
            if !workers.release(worker) { Task { await worker.close() } }
        }
        return try await body(worker)
    }

    package func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail? {
        try await withPlace { try await $0.sanitize(mail) }
    }

    package func readFeed(_ document: FeedDocument) async throws -> FeedReading? {
        try await withPlace { try await $0.readFeed(document) }
    }

    /// Ends the children. Calls that wait for one throw; calls that run end first.
    package func shutdown() async {
        for worker in workers.close() { await worker.close() }
    }

    /// Count of the calls that wait for a child.
    var waitingCount: Int { workers.waitingCount }

    /// The children that are alive and idle.
    func childIdentifiers() async -> [pid_t] {
        var identifiers: [pid_t] = []
        for worker in workers.idle {
            if let pid = await worker.childIdentifier() { identifiers.append(pid) }
        }
        return identifiers
    }
}

/// Record of a pool's children.
final class ChildRecord: Sendable {
    private let restartCount = Atomic<Int>(0)
    private let lastConfinement = Mutex<ChildConfinement?>(nil)

    /// How often a child had to be replaced.
    var restarts: Int { restartCount.load(ordering: .relaxed) }
    func noteRestart() { restartCount.add(1, ordering: .relaxed) }

    var confinement: ChildConfinement? { lastConfinement.withLock { $0 } }
    func note(_ confinement: ChildConfinement) { lastConfinement.withLock { $0 = confinement } }
}

/// A failure of the parent, not of a message.
package struct ParserError: OperationalError, Sendable, CustomStringConvertible {
    /// Kind of failure.
    package struct Code: Sendable, Hashable {
        private enum Name: Hashable { case cannotStart, cannotRead, changed, closed }
        private let name: Name
        /// No child can be started.
        package static let cannotStart = Code(name: .cannotStart)
        /// The message or the pack cannot be read.
        package static let cannotRead = Code(name: .cannotRead)
        /// The bytes on disk are not those that were written there.
        package static let changed = Code(name: .changed)
        /// The pool was shut down.
        package static let closed = Code(name: .closed)
    }

    package var code: Code
    package var description: String
    package var condition: ErrorCondition { code == .cannotStart ? .unavailable : .storage }
    package var isTemporary: Bool { true }

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

    /// `error`: see errno(3).
    init(_ code: Code, _ what: String, _ error: Int32) {
        self.init(code, "\(what): \(SystemText.of(error))")
    }
}
