import Dispatch
import Glibc
import Logging
import ServiceLifecycle
import Terminal

/// Reads the configuration again at each SIGHUP. One that cannot be used changes nothing, and the log says why.
struct ConfigurationReload: Service {
    let workspace: Workspace
    let live: LiveConfiguration
    let signal: ReloadSignal
    let logger: Logger
    /// Throws when the new configuration cannot be used; then nothing of it takes effect.
    let check: @Sendable (Configuration) throws -> Void
    /// Passes the new configuration to the running parts.
    let apply: @Sendable (Configuration) -> Void

    /// Runs until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signal.arrivals { reload() }
        }
    }

    private func reload() {
        do {
            let new = try workspace.rereadConfiguration()
            try check(LiveConfiguration.merge(new, into: live.value).merged)
            let changes = live.take(new)
            apply(live.value)
            for key in changes.pending { logger.warning("\(key): the change takes effect at the next start") }
            let applied = changes.applied.isEmpty ? "nothing changed" : changes.applied.joined(separator: ", ")
            logger.notice("the configuration was read again: \(applied)")
        } catch {
            logger.error("the new configuration is not used, all stays as it was: \(CommandError(error).message)")
        }
    }
}

/// SIGHUP: the configuration is to be read again. Without this the signal ends the process, so a program that keeps
/// running makes it first; a signal that comes before `arrivals` is read is not lost. Lasts as long as the process.
struct ReloadSignal: Sendable {
    /// Several signals that wait are one.
    let arrivals: AsyncStream<Void>
    private let requests: AsyncStream<Void>.Continuation

    /// - Parameter hearsSignal: false where SIGHUP means something else: it has one handler in a process.
    init(hearsSignal: Bool = true) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (arrivals, requests) = (stream, continuation)
        guard hearsSignal else { return }
        Self.ignore()
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: DispatchQueue(label: "fundmail.reload"))
        // The handler keeps the source.
        source.setEventHandler { withExtendedLifetime(source) { _ = continuation.yield() } }
        source.resume()
    }

    /// Reloads as if the signal had come.
    func request() { requests.yield() }

    /// For a run that ends by itself and reads its configuration once.
    static func ignore() { signal(SIGHUP, SIG_IGN) }
}
