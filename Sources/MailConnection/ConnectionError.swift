package import FundCore

/// A failure of a connection or of what is asked over it. Holds no credentials and nothing of a message.
package struct ConnectionError: DelayedError, Sendable, CustomStringConvertible {
    /// Kind of failure; open, since servers and libraries grow new ones.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The address or policy makes no sense: nothing was tried.
        package static let badConfiguration = Code(rawValue: "bad_configuration")
        /// No address, no route, or no server at the port.
        package static let unreachable = Code(rawValue: "unreachable")
        /// The server's certificate is not valid for its name.
        package static let certificate = Code(rawValue: "certificate")
        /// The server offers no encryption, or sent something before it began.
        package static let tlsRequired = Code(rawValue: "tls_required")
        package static let loginRefused = Code(rawValue: "login_refused")
        /// The token for the login cannot be had.
        package static let tokenUnavailable = Code(rawValue: "token_unavailable")
        /// The server asks to come back later.
        package static let throttled = Code(rawValue: "throttled")
        /// Another client holds the mailbox.
        package static let inUse = Code(rawValue: "in_use")
        /// The server broke the protocol; the connection is given up.
        package static let protocolViolation = Code(rawValue: "protocol_violation")
        /// The connection was lost, or the server ended it.
        package static let connectionLost = Code(rawValue: "connection_lost")
        package static let timedOut = Code(rawValue: "timed_out")
        /// The run lasted longer than it may; the next one goes on where it ended.
        package static let runLimit = Code(rawValue: "run_limit")
        package static let cancelled = Code(rawValue: "cancelled")
        /// The server understood and said no; the connection is usable.
        package static let commandRefused = Code(rawValue: "command_refused")
        /// The account has no room for what is asked (RFC 5530 §3 `OVERQUOTA`).
        package static let overQuota = Code(rawValue: "over_quota")
        /// A limit of the server is reached (RFC 5530 §3 `LIMIT`).
        package static let limitReached = Code(rawValue: "limit_reached")
        /// The server waits for TLS where the scheme lets the server speak first.
        package static let tlsExpected = Code(rawValue: "tls_expected")
        /// The server lets the user in, and not this program (`Unsafe Login` of NetEase).
        package static let clientRefused = Code(rawValue: "client_refused")
        /// The server takes no mail from the sender that is configured.
        package static let senderRefused = Code(rawValue: "sender_refused")
        /// The login is right, and the server has no mailbox behind it.
        package static let accountUnavailable = Code(rawValue: "account_unavailable")
        /// The mailbox does not exist or may not be opened.
        package static let mailboxUnavailable = Code(rawValue: "mailbox_unavailable")
        /// This server cannot do what is asked of it.
        package static let unsupported = Code(rawValue: "unsupported")
        /// The bytes of one message cannot be had.
        package static let messageUnavailable = Code(rawValue: "message_unavailable")
        /// The spool cannot be written: `underlying` is the `DiskError`.
        package static let spool = Code(rawValue: "spool")
        package static let outOfMemory = Code(rawValue: "out_of_memory")
    }

    package var code: Code
    /// Operation that failed, for people: `login`, `SELECT INBOX`.
    package var operation: String
    /// Words of the server or the library, on one line and free of secrets; may be empty.
    package var detail: String
    /// How long the server asks to be left alone, where it says so.
    package var retryAfter: Duration?
    package var underlying: (any Error)?
    /// All that came is durable here, and the connection is in order: what to do with the server's copies was refused.
    package var isOfServerCopies = false
    /// Cause that a refused login may have, besides a wrong password.
    package var loginHint: LoginHint?

    /// Why a login may be refused, besides a wrong password.
    package enum LoginHint: Sendable, Hashable {
        /// The server refuses busy times and wrong passwords in the same words; the code is `throttled`.
        case busyOrWrongPassword
        /// APOP (RFC 1939 §7) works only where the server keeps the password itself, not a hash of it.
        case serverNeedsPasswordForAPOP
        /// LOGIN (RFC 3501 §6.2.3) and USER (RFC 1939 §7) carry only ASCII; only AUTH=PLAIN (RFC 4616) carries more
        /// everywhere.
        case onlyASCII
    }

    package init(
        _ code: Code, during operation: String, _ detail: String = "", retryAfter: Duration? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.operation = operation
        self.detail = detail
        self.retryAfter = retryAfter
        self.underlying = underlying
    }

    package var condition: ErrorCondition {
        switch code {
        case .badConfiguration: .configuration
        case .throttled, .inUse, .runLimit, .cancelled, .outOfMemory: .busy
        case .spool: .storage
        default: .unavailable
        }
    }

    /// A failure of the spool or of the store while mail is fetched.
    package static func store(_ error: any Error, during operation: String) -> ConnectionError {
        ConnectionError(.spool, during: operation, "\(error)", underlying: error)
    }

    package var isTemporary: Bool {
        endsConnection || [.unreachable, .throttled, .inUse, .runLimit, .cancelled].contains(code)
    }

    /// The server understood and said no; the connection is usable.
    package var isRefusal: Bool { [.commandRefused, .overQuota, .limitReached].contains(code) }

    /// The response code of the server's answer (RFC 3501 §7.1, RFC 5530), in capitals; nil when it gave none.
    package var responseCode: String? {
        guard detail.first == "[" else { return nil }
        return detail.dropFirst().prefix { $0 != "]" && $0 != " " }.uppercased()
    }

    /// The connection cannot be used any more; a new one may work.
    package var endsConnection: Bool { [.protocolViolation, .connectionLost, .timedOut].contains(code) }

    package var description: String {
        detail.isEmpty ? "\(operation): \(code.rawValue)" : "\(operation): \(code.rawValue): \(detail)"
    }
}
