internal import CPostgreSQL
internal import FundCore

/// The way to a database: address, login, TLS and time-outs.
package struct PostgreSQLSettings: Sendable {
    /// Bounds of all that waits. None of them is off, so that nothing hangs when a line or a server is dead.
    package struct Timeouts: Sendable {
        /// Connecting to one of the hosts, TLS and login included; the resolver has limits of its own (resolv.conf(5)).
        package var connect = Duration.seconds(5)
        /// One statement. The server ends it; when it does not, the connection is given up.
        package var statement = Duration.seconds(60)
        /// A lock of another transaction.
        package var lock = Duration.seconds(10)
        /// A transaction in which nothing is asked: the server ends it, and with it its locks.
        package var idleInTransaction = Duration.seconds(20)
        /// Data on the line that the other machine does not acknowledge (TCP_USER_TIMEOUT in tcp(7)).
        package var acknowledgement = Duration.seconds(5)
        /// Silence on the line before the other machine is asked whether it is there; then each third of it, three
        /// times.
        package var keepAlive = Duration.seconds(5)
        /// COMMIT. A server that waits for its standby takes longer than one that writes alone.
        package var commit = Duration.seconds(15)
        /// ROLLBACK and a cancelled statement: they end soon, or the line is dead.
        package var answer = Duration.seconds(5)

        package init() {}

        /// Bounds for statements that take as long as all rows do.
        static let patient: Timeouts = {
            var timeouts = Timeouts()
            (timeouts.statement, timeouts.idleInTransaction) = (.seconds(24 * 3600), .seconds(3600))
            timeouts.commit = .seconds(600)
            return timeouts
        }()
    }

    package var timeouts = Timeouts()
    /// This database, with bounds for statements that take as long as all rows do.
    package var patient: PostgreSQLSettings {
        var settings = self
        settings.timeouts = .patient
        return settings
    }

    /// Keywords of libpq and their values (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS).
    private(set) var keywords: [String: String]

    /// Keywords by which a connection would not be what this program expects.
    private static let refusedKeywords: Set<String> = [
        "options", "client_encoding", "replication", "service", "target_session_attrs",
    ]
    /// Certificates that Debian trusts (package ca-certificates).
    private static let systemCertificates = "/etc/ssl/certs/ca-certificates.crt"

    /// Reads `postgres://user:password@host:port/database?sslmode=…`, or keywords with their values, as libpq takes
    /// them. A host on another machine needs TLS with a certificate that Debian trusts, unless `sslmode` says
    /// otherwise.
    ///
    /// Throws `address`, without the text, which may hold a password.
    package init(_ address: String) throws(PostgreSQLError) {
        guard fundmail_pq_is_there() == 1 else {
            throw PostgreSQLError(.unsuitable, "connect", "libpq.so.5 is not installed (Debian: libpq5)")
        }
        var failure: UnsafeMutablePointer<CChar>?
        guard let options = fundmail_PQconninfoParse(address, &failure) else {
            fundmail_PQfreemem(failure)
            throw PostgreSQLError(
                .address, "read the address of the database",
                "it is no postgres://user@host/database, and no list of keywords")
        }
        defer { fundmail_PQconninfoFree(options) }
        var keywords: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { keywords[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        if let refused = keywords.keys.filter(Self.refusedKeywords.contains).min() {
            throw PostgreSQLError(.address, "read the address of the database", "it may not set \(refused)")
        }
        let hosts = (keywords["hostaddr"] ?? keywords["host"] ?? "").split(separator: ",")
        if keywords["sslmode"] == nil {
            keywords["sslmode"] = hosts.allSatisfy(Self.isLocal) ? "prefer" : "verify-full"
        }
        if keywords["sslmode"] == "verify-full", keywords["sslrootcert"] == nil {
            keywords["sslrootcert"] = Self.systemCertificates
        }
        self.keywords = keywords
    }

    /// The value of a keyword of libpq; nil for one that is not set, and for the password.
    package func value(of keyword: String) -> String? { keyword == "password" ? nil : keywords[keyword] }

    /// Whether the address itself holds a secret.
    package var hasPassword: Bool { keywords["password"] != nil || keywords["sslpassword"] != nil }

    /// Another database of the same server.
    package func with(database: String) -> PostgreSQLSettings {
        var settings = self
        settings.keywords["dbname"] = database
        return settings
    }

    /// This database as another role of the server.
    package func with(user: String) -> PostgreSQLSettings {
        var settings = self
        settings.keywords["user"] = user
        return settings
    }

    /// This database by another host and port.
    package func with(host: String, port: Int) -> PostgreSQLSettings {
        var settings = self
        (settings.keywords["host"], settings.keywords["port"]) = (host, String(port))
        return settings
    }

    private static func isLocal(_ host: Substring) -> Bool {
        host.hasPrefix("/") || host.hasPrefix("@") || IPAddress.isLoopback(host: host)
    }

    /// The keywords with which a connection is opened. Time-outs of statements are set once it stands: poolers refuse
    /// them here.
    var all: [String: String] {
        let keepAlive = max(1, timeouts.keepAlive.components.seconds)
        let fixed = [
            "client_encoding": "UTF8",
            "fallback_application_name": "fundmail",
            // The one that takes writes: a standby may not have yet what was just written.
            "target_session_attrs": "read-write",
            "connect_timeout": String(max(2, timeouts.connect.components.seconds)),
            "tcp_user_timeout": String(timeouts.acknowledgement.milliseconds),
            "keepalives": "1",
            "keepalives_idle": String(keepAlive),
            "keepalives_interval": String(max(1, keepAlive / 3)),
            "keepalives_count": "3",
        ]
        return keywords.merging(fixed) { $1 }
    }

    /// `all` for each of the hosts by itself: libpq gives no next one a try while the first is silent.
    var allByHost: [[String: String]] {
        func parts(_ name: String) -> [String] {
            keywords[name]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        let count = max(parts("host").count, parts("hostaddr").count, 1)
        return (0..<count).map { number in
            var single = all
            for name in ["host", "hostaddr", "port"] {
                let parts = parts(name)
                // One port serves all hosts.
                if parts.count > 1 { single[name] = number < parts.count ? parts[number] : "" }
            }
            return single
        }
    }

    /// Settings of a session, or of a transaction behind a pooler, as the server names them.
    var sessionSettings: [(name: String, value: String)] {
        [
            // The server's own limit stands behind ours: ours frees a connection that may be used again.
            ("statement_timeout", String((timeouts.statement + timeouts.answer).milliseconds)),
            ("lock_timeout", String(timeouts.lock.milliseconds)),
            ("idle_in_transaction_session_timeout", String(timeouts.idleInTransaction.milliseconds)),
            // An answered commit stays when the server dies, also where its own setting says otherwise.
            ("synchronous_commit", "on"),
            ("TimeZone", "UTC"),
            ("DateStyle", "ISO"),
            ("standard_conforming_strings", "on"),
        ]
    }

    /// Settings by which the server finds out that this program is gone while it works or waits for it.
    var lineSettings: [(name: String, value: String)] {
        let keepAlive = max(1, timeouts.keepAlive.components.seconds)
        return [
            ("client_connection_check_interval", String(timeouts.answer.milliseconds)),
            ("tcp_user_timeout", String(timeouts.acknowledgement.milliseconds)),
            ("tcp_keepalives_idle", String(keepAlive)),
            ("tcp_keepalives_interval", String(max(1, keepAlive / 3))),
            ("tcp_keepalives_count", "3"),
        ]
    }
}
