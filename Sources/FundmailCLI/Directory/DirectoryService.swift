internal import Dispatch
internal import MailConnection
internal import Synchronization
import FundCore
import FundServer
import Logging
import ServiceLifecycle
import Terminal

/// The company's directory of people, read from where the configuration says and read again when it changes. A source
/// that cannot be read leaves the people who were there before.
final class DirectoryService: Service {
    /// The source, and when it is looked at next.
    private struct Worker {
        var configuration: DirectoryConfiguration?
        var source: (any DirectorySource)?
        var next = ContinuousClock.now
        var backoff = Backoff()
    }

    private struct State {
        var directory: CompanyDirectory?
        /// Time of the last look that went well.
        var readAt: Timestamp?
        var problem: String?
    }

    /// How often it is looked whether something is due.
    private static let tick = Duration.seconds(5)

    /// The configuration at the time of the call.
    private let configuration: @Sendable () -> DirectoryConfiguration?
    /// The store's folder of files that can be made again.
    private let cacheFolder: String
    private let cancellation: Cancellation
    private let logger: Logger
    private let worker = Mutex(Worker())
    private let state = Mutex(State())
    /// A thread of its own: reading blocks.
    private let queue = DispatchQueue(label: "fundmail.directory")

    /// The cards that are left out, for people.
    static let leftOut =
        "those that cannot be read, name nobody or are too many (more than \(ContactLimits.maxImported)) are left out"

    /// - Parameter cancellation: ends a look at a server.
    init(
        configuration: @escaping @Sendable () -> DirectoryConfiguration?, cacheFolder: String,
        cancellation: Cancellation, logger: Logger
    ) {
        self.configuration = configuration
        (self.cacheFolder, self.cancellation, self.logger) = (cacheFolder, cancellation, logger)
    }

    /// Nil without a directory, and until it could be read once.
    var current: CompanyDirectory? { state.withLock(\.directory) }

    /// Nil without a directory.
    var figures: DirectoryFigures? {
        guard configuration() != nil else { return nil }
        return state.withLock {
            DirectoryFigures(people: $0.directory?.people.count ?? 0, readAt: $0.readAt, problem: $0.problem)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            while !Task.isCancelled {
                await queue.run { [self] in refresh() }
                try? await Task.sleep(for: Self.tick)
            }
        }
    }

    /// Looks at the source if that is due. Blocks for the time that reading takes.
    func refresh(now: ContinuousClock.Instant = .now) {
        worker.withLock { worker in
            let wanted = configuration()
            if wanted != worker.configuration { change(&worker, to: wanted, now) }
            guard now >= worker.next, var source = worker.source else { return }
            do {
                let directory = try source.look()
                note(directory, of: source)
                worker.backoff.reset()
                worker.next = now + type(of: source).period
            } catch {
                note(failure: source.failure(error), of: source)
                let pause = source is DirectoryFile ? DirectoryFile.period : worker.backoff.pause(after: error)
                worker.next = now + pause
            }
            worker.source = source
        }
    }

    /// People of another source are no directory any more.
    private func change(
        _ worker: inout Worker, to configuration: DirectoryConfiguration?, _ now: ContinuousClock.Instant
    ) {
        worker = Worker(configuration: configuration, next: now)
        switch configuration {
        case nil: break
        case .file(let path)?: worker.source = DirectoryFile(path: path)
        case .server(let server)?:
            let copy = DirectoryCopy(folder: cacheFolder, of: server)
            worker.source = DirectoryServer(server, copy: copy, cancellation: cancellation, logger: logger)
        }
        let kept = worker.source?.kept()
        state.withLock { $0 = State(directory: kept) }
    }

    private func note(_ directory: CompanyDirectory?, of source: any DirectorySource) {
        state.withLock { state in
            if let directory { state.directory = directory }
            (state.readAt, state.problem) = (.now, nil)
        }
        guard let directory else { return }
        let count = directory.people.count
        logger.info("the directory has \(count) people")
        guard directory.hasLeftOut else { return }
        logger.warning("the directory \(source.name) has more cards than the \(count) that are shown: \(Self.leftOut)")
    }

    private func note(failure: CommandError, of source: any DirectorySource) {
        let isNew = state.withLock { state in
            defer { state.problem = failure.message }
            return state.problem != failure.message
        }
        // Each problem once, however often it is tried.
        if isNew { logger.error("cannot read the directory \(source.name): \(failure.message)") }
    }
}
