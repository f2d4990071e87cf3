internal import MailConnection
import Glibc
import ServiceLifecycle

/// Tells systemd how a service of `Type=notify` is doing: datagrams to the socket that NOTIFY_SOCKET names
/// (sd_notify(3)). Does nothing where there is no such socket.
struct ServiceNotice: Sendable {
    private let path: String?
    /// How often systemd wants to hear that we live: half of what it waits for. Nil when it does not.
    let watchdogPeriod: Duration?

    init() {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        path = variable("NOTIFY_SOCKET").flatMap { $0.first == "/" || $0.first == "@" ? $0 : nil }
        let isForUs = variable("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
        watchdogPeriod = variable("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { microseconds in
            isForUs && microseconds > 0 ? .microseconds(microseconds / 2) : nil
        }
    }

    func ready() { send("READY=1") }
    /// Lets the start take an hour from now on instead of `TimeoutStartSec`: a large store is updated in minutes, and a
    /// start that is cut off before the first step would copy its rows anew each time.
    func startsSlowly() { send("EXTEND_TIMEOUT_USEC=3600000000") }
    func stopping() { send("STOPPING=1") }

    /// Tells that we live, as often as systemd wants to hear it, until cancelled. Returns at once when it does not.
    func beat(until cancellation: Cancellation) async {
        guard let watchdogPeriod else { return }
        repeat { send("WATCHDOG=1") } while await cancellation.pause(for: watchdogPeriod)
    }

    private func send(_ text: String) {
        guard let path else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard name.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }  // unix(7): the abstract name space
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else { return }
        defer { close(socket) }
        let bytes = Array(text.utf8)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL), address, length)
            }
        }
    }
}

/// Sends the watchdog notices of systemd until graceful shutdown.
struct WatchdogService: Service {
    let notice: ServiceNotice
    let cancellation: Cancellation

    func run() async throws {
        await withGracefulShutdownHandler {
            await notice.beat(until: cancellation)
            // A service that ends by itself would end the others.
            try? await gracefulShutdown()
        } onGracefulShutdown: { [cancellation] in
            // Also when another service ends: systemd must not take a process for alive that no longer serves.
            cancellation.cancel()
        }
    }
}
