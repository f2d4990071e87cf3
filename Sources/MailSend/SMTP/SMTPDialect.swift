package import MailConnection

/// Logins of SMTP (RFC 4954).
package struct SMTPDialect: LoginDialect {
    package init() {}

    package func withoutSecrets(_ command: String) -> String {
        let words = command.filter { $0 != "\n" && $0 != "\r\n" }.split(separator: " ").map(String.init)
        guard let verb = words.first, Self.verbs.contains(verb) else { return "(left out)" }
        var shown = [verb]
        if verb == "AUTH", words.count > 1, Self.mechanisms.contains(words[1]) { shown.append(words[1]) }
        return (shown + (words.count > shown.count ? ["(left out)"] : [])).joined(separator: " ")
    }

    /// Servers name a dozen; one that goes on without end takes no more memory.
    private static let maxCapabilities = 100
    private static let verbs: Set = ["EHLO", "HELO", "STARTTLS", "AUTH", "QUIT"]
    private static let mechanisms: Set = [
        "PLAIN", "LOGIN", "CRAM-MD5", "DIGEST-MD5", "XOAUTH2", "OAUTHBEARER", "NTLM", "GSSAPI", "EXTERNAL",
        "SCRAM-SHA-1", "SCRAM-SHA-256",
    ]

    package func method(of command: String) -> LoginMethod? {
        guard command.hasPrefix("AUTH ") else { return nil }
        return LoginMethod(
            usesPassword: !["GSSAPI", "NTLM", "MD5", "SCRAM", "EXTERNAL"].contains(where: command.contains),
            isAPOP: false, isASCII: false)
    }

    package func isChallenge(_ line: String) -> Bool { line.hasPrefix("334") }

    /// The keywords of the answer to EHLO (RFC 5321 §4.1.1.1). The greeting and the answer to STARTTLS begin anew: what
    /// was said before the encryption counts no more (RFC 3207 §4.2).
    package func capabilities(in line: String, after known: Set<String>) -> Set<String>? {
        if line.hasPrefix("220") { return [] }
        guard line.hasPrefix("250-") || line.hasPrefix("250 "), known.count < Self.maxCapabilities else { return nil }
        return known.union([line.dropFirst(4).filter { $0 != "\r" && $0 != "\r\n" }.uppercased()])
    }

    package func isPreauthenticated(_ greeting: String) -> Bool { false }

    /// Greetings of IMAP and POP3 (RFC 3501 §7.1, RFC 1939 §4).
    package func problem(with greeting: String) -> String? {
        if greeting.hasPrefix("* ") { return "its greeting is that of IMAP" }
        if greeting.hasPrefix("+OK") { return "its greeting is that of POP3" }
        return nil
    }

    /// A reply of the 400s asks to come back later (RFC 5321 §4.2.1); 432 asks a person for another password (RFC 4954
    /// §6).
    package func hint(in line: String) -> ServerHint? {
        guard line.hasPrefix("4"), !line.hasPrefix("432") else { return nil }
        return ServerHint(.throttled, retryAfter: nil, isOfServer: true, mayBePassword: false)
    }
}
