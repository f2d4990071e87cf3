internal import Foundation
internal import Glibc
internal import Synchronization

/// A real `fundmail serve` on this machine, with a store of its own, for tests of clients. Its users are those of
/// `CrashMail`, of whom `user` signs in with `password`.
package final class FundmailServer: Sendable {
    package static let user = ReplayStore.user
    package static let password = ReplayStore.password

    package let store: ReplayStore
    /// Without TLS when nil.
    private let certificate: TestAuthority.Certificate?
    /// More lines of the configuration, below `server`.
    private let settings: [String]
    /// More sections of the configuration.
    private let sections: [String]
    /// Its port also between `kill` and `start`: no socket of another test gets it meanwhile.
    private let held: HeldPort
    private let running = Mutex<BuiltProgram.Running?>(nil)

    /// Starts it.
    /// - Parameters:
    ///   - settings: lines below `server:` in the configuration, such as `tokens: {web: 2s}`.
    ///   - sections: further lines of the configuration, such as `links: off`.
    ///   - environment: of the server, as `FUNDMAIL_FAILPOINT`.
    ///   - messages: are filed before it starts.
    ///   - prefix: words before the program, such as those of `Faketime`.
    package init(
        _ certificate: TestAuthority.Certificate? = nil, settings: [String] = [], sections: [String] = [],
        environment: [String: String] = [:], messages: [CrashMail.Message] = [], prefix: [String] = []
    ) async throws {
        self.certificate = certificate
        (self.settings, self.sections) = (settings, sections)
        held = try HeldPort()
        store = try await ReplayStore().with(environment, prefix: prefix)
        if !messages.isEmpty {
            try store.write(messages)
            let done = try await store.replay()
            guard done.isSuccess else { throw ServerFailure("replay: \(done)") }
        }
        try await start()
    }

    deinit {
        running.withLock { $0?.kill() }
        store.remove()
    }

    /// The port on this machine; the same after a restart.
    package var port: Int { held.number }
    /// `https` with a certificate.
    package var url: String { "\(certificate == nil ? "http" : "https")://localhost:\(port)" }
    /// The standard error so far.
    package var log: String { running.withLock { $0?.errorsSoFar } ?? "" }
    package var identifier: Int32? { running.withLock { $0?.identifier } }

    /// After `stop` or `kill`, at the same port.
    package func start() async throws {
        try writeConfiguration()
        let running = try store.program.start(store.arguments(["serve"]))
        self.running.withLock { $0 = running }
        let isOver = try await becomesTrue { running.errorsSoFar.contains("serving on") || !running.isRunning }
        guard isOver, running.isRunning else {
            throw ServerFailure("the server does not start: \(running.errorsSoFar)")
        }
    }

    /// SIGKILL, as by a machine that loses its power.
    package func kill() async throws {
        let running = self.running.withLock { $0 }
        running?.kill()
        _ = try await running?.wait()
    }

    /// SIGTERM, and waits until it is gone.
    package func stop() async throws {
        let running = self.running.withLock { $0 }
        running?.signal(SIGTERM)
        _ = try await running?.wait()
    }

    private func writeConfiguration() throws {
        var lines = ["store: ./store", "server:", "  listen: 127.0.0.1:\(port)"]
        if let certificate {
            let authority = try TestAuthority.shared.get()
            let (pem, key) = (authority.certificatePath(certificate), authority.keyPath(certificate))
            lines.append("  tls: {certificate: \(pem), key: \(key)}")
        }
        lines += settings.map { "  " + $0 } + sections
        try TestFile.write(lines.joined(separator: "\n") + "\n", to: store.configuration)
    }
}
