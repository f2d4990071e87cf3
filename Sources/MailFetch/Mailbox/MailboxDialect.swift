package import MailConnection

/// Logins of IMAP and POP3.
package struct MailboxDialect: LoginDialect {
    let scheme: MailServerAddress.Scheme

    package init(_ scheme: MailServerAddress.Scheme) { self.scheme = scheme }

    package func withoutSecrets(_ line: String) -> String {
        let words = line.filter { $0 != "\n" }.split(separator: " ").map(String.init)
        let known: Set = [
            "CAPABILITY", "STARTTLS", "LOGIN", "AUTHENTICATE", "CAPA", "STLS", "USER", "PASS", "APOP", "AUTH", "PLAIN",
            "CRAM-MD5", "XOAUTH2", "OAUTHBEARER", "NTLM", "DIGEST-MD5", "GSSAPI", "EXTERNAL", "SCRAM-SHA-1",
            "SCRAM-SHA-256", "LOGOUT", "QUIT",
        ]
        let isTag = { (word: String) in
            word.count == 4 && word.first?.isLetter == true && word.dropFirst().allSatisfy(\.isNumber)
        }
        let verb = words.first.map { isTag($0) ? 1 : 0 } ?? 0
        guard words.count > verb, known.contains(words[verb]) else { return "(left out)" }
        var shown = Array(words.prefix(verb + 1))
        if ["AUTHENTICATE", "AUTH"].contains(words[verb]), words.count > verb + 1, known.contains(words[verb + 1]) {
            shown.append(words[verb + 1])
        }
        return (shown + (words.count > shown.count ? ["(left out)"] : [])).joined(separator: " ")
    }

    package func method(of command: String) -> LoginMethod? {
        guard ["LOGIN", "AUTHENTICATE", "AUTH", "USER", "APOP"].contains(where: command.contains) else { return nil }
        return LoginMethod(
            usesPassword: !["GSSAPI", "NTLM", "MD5", "SCRAM", "EXTERNAL", "APOP"].contains(where: command.contains),
            isAPOP: command.contains("APOP"),
            isASCII: command.contains("USER (") || (command.contains(" LOGIN (") && !command.contains("AUTH")))
    }

    package func isChallenge(_ line: String) -> Bool { line.hasPrefix("+ ") }

    /// RFC 3501 §7.2.1.
    package func capabilities(in line: String, after known: Set<String>) -> Set<String>? {
        let words = line.uppercased()
        guard let mark = words.firstRange(of: "* CAPABILITY ") ?? words.firstRange(of: "[CAPABILITY ") else {
            return nil
        }
        let names = words[mark.upperBound...].prefix { $0 != "]" && $0 != "\r" }
        return Set(names.split(separator: " ").map(String.init))
    }

    package func isPreauthenticated(_ greeting: String) -> Bool { greeting.uppercased().hasPrefix("* PREAUTH") }

    /// The other protocol's greeting (RFC 3501 §7.1, RFC 1939 §4), which libcurl does not take for one.
    package func problem(with greeting: String) -> String? {
        guard greeting.hasPrefix(scheme.isIMAP ? "+OK" : "* ") else { return nil }
        return "its greeting is that of \(scheme.isIMAP ? "pop3" : "imap")\(scheme.isImplicitTLS ? "s" : "")://"
    }

    package func hint(in line: String) -> ServerHint? { ServerHint(line: line) }
}
