internal import Glibc

/// A real Dovecot of its own on loopback: own ports, own folder, every file below it. Any user name is welcome with the
/// password `sesame` or a `BearerToken`, and has a Maildir of its own, so tests that share a server do not meet.
package final class DovecotServer: Sendable {
    package struct Options: Sendable {
        package var certificate: TestAuthority.Certificate = .valid
        /// Replaces what the server says it can do after login; it then also does without what is missing.
        package var capability: String?
        package var mechanisms = "plain login oauthbearer xoauth2"
        /// Further lines of dovecot.conf.
        package var configuration = ""

        package init() {}
    }

    package struct Ports: Sendable {
        package var imap: Int
        package var imaps: Int
        package var pop3: Int
        package var pop3s: Int
    }

    package static let password = "sesame"
    /// Why tests with Dovecot cannot run here; nil where they can.
    package static var missing: String? {
        let programs = ["/usr/sbin/dovecot", "/usr/bin/doveadm", "/usr/lib/dovecot/imap", "/usr/lib/dovecot/pop3"]
        let missing = programs.filter { access($0, X_OK) != 0 }
        return missing.isEmpty ? nil : "\(missing[0]) (packages dovecot-core, dovecot-imapd, dovecot-pop3d)"
    }

    /// For `.enabled(if:)`: false where Dovecot is not installed, with a warning on standard error. Where CI=true the
    /// tests run, and fail.
    package static let isUsable: Bool = {
        guard let missing, getenv("CI").map({ String(cString: $0) }) != "true" else { return true }
        let line = "\n*** SKIPPED: every test with Dovecot. Not installed: \(missing). Run scripts/setup test.\n\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        return false
    }()

    /// The one that tests share when they need nothing special; runs until the test process ends.
    package static let shared = Result { try DovecotServer() }

    package let ports: Ports
    package let folder: String
    let process: ServerProcess
    private let heldPorts: [HeldPort]
    var configurationPath: String { "\(folder)/dovecot.conf" }

    package init(_ options: Options = Options()) throws {
        if let missing = Self.missing { throw ServerFailure("not installed: \(missing)") }
        let authority = try TestAuthority.shared.get()
        folder = try TestFile.makeFolder("dovecot")
        heldPorts = try (0..<4).map { _ in try HeldPort() }
        let numbers = heldPorts.map(\.number)
        ports = Ports(imap: numbers[0], imaps: numbers[1], pop3: numbers[2], pop3s: numbers[3])
        try Self.writeConfiguration(options, ports: ports, authority: authority, in: folder)
        process = try ServerProcess(
            ["dovecot", "-F", "-c", "\(folder)/dovecot.conf"], folder: folder, unprivileged: true)
        try Self.waitUntilReady(ports, process)
    }

    package func stop() { process.stop() }

    /// The log of Dovecot, for a test that failed.
    package var log: String { process.log }

    /// Runs `doveadm` on this server.
    @discardableResult
    package func doveadm(_ arguments: String...) throws -> String {
        let prefix = ServerProcess.unprivilegedPrefix + ["doveadm", "-c", configurationPath]
        return try ToolRun.output(prefix + arguments)
    }

    private static func waitUntilReady(_ ports: Ports, _ process: ServerProcess) throws {
        var failure: String { "Dovecot does not start: \(process.log)" }
        try firstResult(orElse: failure) { () -> Void? in
            if let socket = LoopbackSocket.connect(port: ports.imap) {
                defer { close(socket) }
                if !LoopbackSocket.receive(socket).isEmpty { return () }
            }
            if process.log.contains("Fatal: ") { throw ServerFailure(failure) }
            return nil
        }
    }
}

/// Ending and starting again, as an upgrade or a crash does it: same ports, same mail.
extension DovecotServer {
    /// Ends the server, its connections too; its folder stays.
    package func goDown() throws {
        let text = String(decoding: try TestFile.read("\(folder)/run/master.pid"), as: UTF8.self)
        guard let master = pid_t(text.filter { $0.isNumber }) else { throw ServerFailure("no master: \(text)") }
        kill(master, SIGTERM)
        try firstResult(orElse: "Dovecot does not end") { () -> Void? in
            guard let socket = LoopbackSocket.connect(port: ports.imap) else { return () }
            close(socket)
            return nil
        }
    }

    /// Starts it again; it runs as long as the result is held.
    package func comeBack() throws -> ServerProcess {
        let process = try ServerProcess(
            ["dovecot", "-F", "-c", configurationPath], folder: TestFile.makeFolder("dovecot-again"), unprivileged: true
        )
        try Self.waitUntilReady(ports, process)
        return process
    }
}
