import MailConnection

/// Refusals of mail servers: response codes of RFC 5530 (IMAP), RFC 2449 and RFC 3206 (POP3), and the delays that
/// Exchange and Gmail write into the text.
extension ServerHint {
    /// Reads a line; nil when it has no such hint.
    init?(line: String) {
        let text = line.uppercased()
        let retryAfter = Self.backoff(text)
        var mayBePassword = false
        let code: ConnectionError.Code
        if text.contains("[INUSE]") || text.contains("[IN-USE]") || text.contains("MAILDROP ALREADY LOCKED") {
            code = .inUse
        } else if text.contains("UNSAFE LOGIN") {
            code = .clientRefused
        } else if text.contains("AUTHENTICATED BUT NOT CONNECTED") {
            code = .accountUnavailable
        } else if text.contains("[THROTTLED]") || text.contains("[UNAVAILABLE]") || text.contains("[LOGIN-DELAY]")
            || text.contains("[SYS/TEMP]") || text.contains("RATE LIMIT") || retryAfter != nil
        {
            // QUIRK: Yahoo says `[LIMIT] Rate limit hit`, which is over in a while; other limits are not.
            code = .throttled
        } else if let cause = Self.cause(text) {
            code = .throttled
            mayBePassword = cause == .either
        } else if text.contains("[OVERQUOTA]") || text.contains("EXCEEDED YOUR MAIL QUOTA") {
            // QUIRK: Courier has only the words.
            code = .overQuota
        } else if text.contains("[LIMIT]") {
            code = .limitReached
        } else {
            return nil
        }
        self.init(
            code, retryAfter: retryAfter, isOfServer: retryAfter != nil || text.contains("[THROTTLED]"),
            mayBePassword: mayBePassword)
    }

    private enum Cause { case busy, either }

    /// The cause that the sentences of a line without a code name. Nil where none says that the server is busy, and
    /// where one says that the password is wrong: what stands behind it is advice, as `Please try again later`.
    private static func cause(_ text: String) -> Cause? {
        guard !isAboutLogin(text) else { return nil }
        var cause: Cause?
        for sentence in text.split(separator: ". ") {
            let isBusy = busyWords.contains { sentence.contains($0) }
            let isPassword = passwordWords.contains { sentence.contains($0) }
            // QUIRK: QQ has one sentence for all: `… password is incorrect, login frequency limited, or system is
            // busy`.
            if isPassword { return isBusy ? .either : nil }
            if isBusy || sentence.contains("TRY AGAIN LATER") { cause = .busy }
        }
        return cause
    }

    /// Words for a login that is wrong, in refusals without a code.
    private static let passwordWords = [
        "PASSWORD", "CREDENTIALS", "INVALID LOGIN", "INVALID USER", "UNKNOWN USER", "LOGIN INCORRECT",
    ]

    /// Words of servers that have no time or too many connections now: Gmail, Exchange, QQ, Dovecot.
    private static let busyWords = [
        "TOO MANY SIMULTANEOUS CONNECTIONS", "TOO MANY CONNECTIONS", "TOO MANY LOGIN", "NUMBER OF CONNECTIONS",
        "CONNECTION LIMIT", "BANDWIDTH LIMIT", "FREQUENCY LIMIT", "LOGIN TOO FREQUENT", "SERVER BUSY",
        "SERVER IS BUSY", "SYSTEM BUSY", "SYSTEM IS BUSY", "SERVER UNAVAILABLE", "TEMPORARILY UNAVAILABLE",
        "TEMPORARY AUTHENTICATION FAILURE", "INTERNAL SERVER ERROR",
    ]

    /// Whether a code says that the login itself is wrong (RFC 5530 §3, RFC 3206 §4): a wrong password that is tried
    /// again and again locks accounts, whatever the words beside it.
    private static func isAboutLogin(_ text: String) -> Bool {
        ["[AUTHENTICATIONFAILED]", "[AUTHORIZATIONFAILED]", "[EXPIRED]", "[AUTH]"].contains(where: text.contains)
    }

    /// `Suggested Backoff Time: 299499 milliseconds` (Exchange Online).
    private static func backoff(_ text: String) -> Duration? {
        guard let mark = text.firstRange(of: "BACKOFF TIME") else { return nil }
        let rest = text[mark.upperBound...].drop { !$0.isNumber }
        guard let number = Int(rest.prefix { $0.isNumber }.prefix(9)) else { return nil }
        let unit = rest.drop { $0.isNumber }.drop { $0 == " " }
        return unit.hasPrefix("SEC") ? .seconds(number) : .milliseconds(number)
    }
}

extension ConnectionError {
    /// The server refused with this line. `code`: where the line does not hint at why (`ServerHint`).
    init(refusal line: String, during operation: String, else code: Code = .commandRefused) {
        let hint = ServerHint(line: line)
        self.init(hint?.code ?? code, during: operation, line, retryAfter: hint?.retryAfter)
    }
}
