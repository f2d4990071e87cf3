internal import CCurl

/// Records while libcurl logs in: greeting, last line, whether a login was sent. A class, as libcurl points to it.
final class LoginObserver {
    private let transcript: Transcript?
    private let secret: Secret?
    private let dialect: any LoginDialect
    private(set) var isPreauthenticated = false
    /// The last command that logs in; nil as long as none was sent.
    private(set) var method: LoginMethod?
    /// The first line of the server.
    private(set) var greeting: String?
    /// The server's last line, without the secret.
    private(set) var lastLine = ""
    /// The hint of the server's last line, which is read before the secret is left out: a short one occurs in any word.
    private(set) var lastHint: ServerHint?
    /// Capabilities that the server named last, in capitals.
    private(set) var capabilities: Set<String> = []
    /// libcurl's last message, such as why a certificate was refused.
    private(set) var lastNote = ""
    private let begun = ContinuousClock.now
    private var didTellSilence = false
    private var isClosing = false

    init(_ dialect: any LoginDialect, transcript: Transcript?, secret: Secret?) {
        self.dialect = dialect
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
            lastNote = shown(text.filter { $0 != "\n" })
        case CURLINFO_HEADER_IN:
            for line in text.split(separator: "\n") { server(String(line)) }
        case CURLINFO_HEADER_OUT:
            let shown = dialect.withoutSecrets(text)
            method = dialect.method(of: shown) ?? method
            transcript?.client(shown)
        default: break
        }
    }

    private func server(_ line: String) {
        if greeting == nil {
            greeting = line
            isPreauthenticated = dialect.isPreauthenticated(line)
        }
        capabilities = dialect.capabilities(in: line, after: capabilities) ?? capabilities
        lastHint = dialect.hint(in: line)
        lastLine = dialect.isChallenge(line) ? "+ (left out)" : shown(line)
        transcript?.server(lastLine)
    }

    private func shown(_ said: String) -> String { secret?.redacting(said) ?? said }
}
