import FundCore
import FundStore
import Terminal

/// The check-up of the server that has the rows of the store.
enum DatabaseCheckup {
    /// Each page and each change asks the server several times.
    private static let maxLatency = Duration.milliseconds(10)

    static func findings(_ server: DatabaseServer) -> DoctorFindings {
        var findings = DoctorFindings()
        let latency = Self.milliseconds(server.latency)
        let line = server.isEncrypted ? "by TLS" : "without TLS"
        findings.ok(
            .store,
            "PostgreSQL \(server.version) at \(server.place), UTF-8, primary, \(line); it answers within \(latency)")
        if server.latency > Self.maxLatency {
            findings.warn(.store, "it takes \(latency) for an answer: pages will be slow; move it nearer")
        }
        if server.isPooled {
            findings.warn(
                .store,
                "a pooler (PgBouncer) stands before it: other processes' changes are seen up to a second later, and "
                    + "questions take longer; name the server itself in places.json")
        }
        for setting in server.unsafeSettings {
            findings.warn(
                .store,
                "\(setting) is off: what was committed may be lost with its power; turn it on in postgresql.conf")
        }
        if server.isAsynchronous {
            let count = server.standbys == 1 ? "its standby gets" : "its \(server.standbys) standbys get"
            findings.warn(
                .store,
                "\(count) commits after they were answered: mail that was deleted on its server is lost where a "
                    + "standby takes over before; set synchronous_standby_names")
        } else if server.standbys > 0 {
            findings.ok(.store, "\(server.standbys) standby servers, synchronous")
        }
        return findings
    }

    /// With one decimal.
    private static func milliseconds(_ time: Duration) -> String {
        let tenths = Int((time / .microseconds(100)).rounded(.up))
        return "\(tenths / 10).\(tenths % 10) ms"
    }
}
