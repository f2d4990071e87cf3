internal import CCurl

/// Records while libcurl logs in: greeting, last line, whether a login was sent. A class, as libcurl points to it.
final class LoginObserver {
    private let transcript: Transcript?
    private let secret: Secret
    private(set) var isPreauthenticated = false
    private(set) var didAuthenticate = false
    /// False after a method for which the server must know more of this user (GSSAPI, a challenge).
    private(set) var usedPassword = true
    /// A challenge that the server can only check with the password itself (RFC 1939 §7).
    private(set) var usedAPOP = false
    /// The user and the password went into commands that carry only ASCII.
    private(set) var usedASCIICommands = false
    /// The first line of the server.
    private(set) var greeting: String?
    /// The server's last line, without the secret.
    private(set) var lastLine = ""
    /// The hint of the server's last line, which is read before the secret is left out: a short one occurs in any word.
    private(set) var lastHint: ServerHint?
    /// Capabilities that the server named last, in capitals (RFC 3501 §7.2.1).
    private(set) var capabilities: Set<String> = []
    /// libcurl's last message, such as why a certificate was refused.
    private(set) var lastNote = ""
    private let begun = ContinuousClock.now
    private var didTellSilence = false
    private var isClosing = false

    init(transcript: Transcript?, secret: Secret) {
        self.transcript = transcript
        self.secret = secret
    }

    /// Whether the server has sent nothing for `time` since the beginning; true once.
    func isSilent(for time: Duration) -> Bool {
        guard greeting == nil, !didTellSilence, .now - begun > time else { return false }
        didTellSilence = true
        return true
    }

    /// libcurl's debug callback (https://curl.se/libcurl/c/CURLOPT_DEBUGFUNCTION.html).
    static let callback: curl_debug_callback = { _, kind, bytes, count, context in
        guard let bytes, let context else { return 0 }
        let observer = Unmanaged<LoginObserver>.fromOpaque(context).takeUnretainedValue()
        observer.hear(kind, UnsafeRawBufferPointer(start: bytes, count: count))
        return 0
    }

    private func hear(_ kind: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        // Lines of a login are short; a hostile one is cut.
        let text = String(decoding: bytes.prefix(1000), as: UTF8.self)
            .filter { $0 == "\n" || !($0.asciiValue.map { $0 < 32 } ?? false) }
        switch kind {
        case CURLINFO_TEXT:
            // Later messages do not tell why.
            isClosing = isClosing || text.hasPrefix("Closing connection")
            if isClosing { break }
            lastNote = secret.redacting(text.filter { $0 != "\n" })
        case CURLINFO_HEADER_IN:
            for line in text.split(separator: "\n") { server(String(line)) }
        case CURLINFO_HEADER_OUT:
            let shown = Self.withoutSecrets(text)
            if ["LOGIN", "AUTHENTICATE", "AUTH", "USER", "APOP"].contains(where: shown.contains) {
                didAuthenticate = true
                usedAPOP = shown.contains("APOP")
                usedASCIICommands = shown.contains("USER (") || (shown.contains(" LOGIN (") && !shown.contains("AUTH"))
                usedPassword = !["GSSAPI", "NTLM", "MD5", "SCRAM", "EXTERNAL", "APOP"].contains(where: shown.contains)
            }
            transcript?.client(shown)
        default: break
        }
    }

    private func server(_ line: String) {
        if greeting == nil {
            greeting = line
            isPreauthenticated = line.uppercased().hasPrefix("* PREAUTH")
        }
        let words = line.uppercased()
        if let mark = words.firstRange(of: "* CAPABILITY ") ?? words.firstRange(of: "[CAPABILITY ") {
            let names = words[mark.upperBound...].prefix { $0 != "]" && $0 != "\r" }
            capabilities = Set(names.split(separator: " ").map(String.init))
        }
        lastHint = ServerHint(said: line)
        // A continuation may hold a challenge, or repeat what was sent.
        lastLine = line.hasPrefix("+ ") ? "+ (left out)" : secret.redacting(line)
        transcript?.server(lastLine)
    }

    /// The line with only those words that cannot be secrets.
    private static func withoutSecrets(_ line: String) -> String {
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
}
