internal import CCurl
internal import FundCore

/// Everything that is needed to open a connection and log in, where a login is asked for.
package struct CurlLogin {
    var endpoint: LoginEndpoint
    var dialect: any LoginDialect
    /// Nil: no login.
    var identity: LoginIdentity?
    var tls: TLSPolicy
    var deadlines: ConnectionDeadlines
    var cancellation: Cancellation
    var transcript: Transcript?
    /// Whether libcurl parses the server's certificate, for `CurlChannel.certificateExpiry`.
    package var keepsCertificate = false

    package init(
        endpoint: LoginEndpoint, dialect: any LoginDialect, identity: LoginIdentity?, tls: TLSPolicy,
        deadlines: ConnectionDeadlines, cancellation: Cancellation, transcript: Transcript? = nil
    ) {
        self.endpoint = endpoint
        self.dialect = dialect
        self.identity = identity
        self.tls = tls
        self.deadlines = deadlines
        self.cancellation = cancellation
        self.transcript = transcript
    }

    /// Connects, encrypts and logs in. A refused token is fetched anew once. Where the method that libcurl liked best
    /// is refused and needs more than a password (GSSAPI, a challenge), the password itself is tried once.
    package func open() throws(ConnectionError) -> CurlChannel {
        var usedPassword = true
        guard let credentials = identity?.credentials else { return try open(nil, usedPassword: &usedPassword) }
        do {
            return try open(credentials.secret(isRefused: false), usedPassword: &usedPassword)
        } catch let error {
            guard error.code == .loginRefused else { throw error }
            if case .oauth2 = credentials {
                return try open(credentials.secret(isRefused: true), usedPassword: &usedPassword)
            }
            if usedPassword { throw error }
            do {
                return try open(credentials.secret(isRefused: true), plainly: true, usedPassword: &usedPassword)
            } catch let second {
                // Without PLAIN and LOGIN nothing was tried: the first answer says more.
                throw second.code == .loginRefused ? error : second
            }
        }
    }

    private func open(
        _ secret: Secret?, plainly: Bool = false, usedPassword: inout Bool
    ) throws(ConnectionError) -> CurlChannel {
        if let identity, identity.user.isEmpty {
            // libcurl would report success without any login.
            throw ConnectionError(.badConfiguration, during: "login", "no user name")
        }
        let observer = LoginObserver(dialect, transcript: transcript, secret: secret)
        let handle = try CurlHandle(observer: observer)
        try configure(handle, secret, observer)
        // Only these, whatever else is offered (https://curl.se/libcurl/c/CURLOPT_LOGIN_OPTIONS.html).
        if plainly { try handle.set(CURLOPT_LOGIN_OPTIONS, "AUTH=PLAIN;AUTH=LOGIN") }
        transcript?.note("connecting to \(endpoint.server)")
        let code = try handle.perform(atMost: deadlines.login, during: "login", cancellation) {
            () throws(ConnectionError) in
            try checkGreeting(observer)
        }
        usedPassword = observer.method?.usesPassword ?? true
        if code != CURLE_OK { throw failure(code, observer, secret) }
        // No login was asked for: the other end may be a man in the middle.
        if identity != nil, observer.isPreauthenticated || observer.method == nil {
            throw ConnectionError(.protocolViolation, during: "login", "the server did not ask for a login")
        }
        var socket: curl_socket_t = -1
        _ = fundmail_curl_get_socket(handle.easy, &socket)
        guard socket >= 0 else { throw ConnectionError(.connectionLost, during: "login", "the connection is closed") }
        // libcurl's messages are needed for the login only.
        try handle.set(CURLOPT_VERBOSE, 0)
        let channel = CurlChannel(
            handle: handle, socket: socket, cancellation: cancellation, announced: observer.capabilities)
        let isEncrypted = channel.isEncrypted
        if case .required = tls, !isEncrypted {
            throw ConnectionError(.tlsRequired, during: "login", "the connection is not encrypted")
        }
        if isEncrypted { channel.readAhead() }
        return channel
    }

    private func configure(
        _ handle: borrowing CurlHandle, _ secret: Secret?, _ observer: LoginObserver
    ) throws(ConnectionError) {
        try setAddress(handle, endpoint.scheme)
        try handle.set(CURLOPT_TCP_KEEPALIVE, 1)  // for IDLE behind a NAT
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, deadlines.connect.milliseconds)
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, deadlines.loginResponse.milliseconds / 1000))
        if let identity, let secret {
            try handle.set(CURLOPT_USERNAME, identity.user)
            switch secret.kind {
            case .password: try handle.set(CURLOPT_PASSWORD, secret.text)
            case .token: try handle.set(CURLOPT_XOAUTH2_BEARER, secret.text)
            }
        }
        handle.enlargeReadBuffer()
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        if keepsCertificate { try handle.set(CURLOPT_CERTINFO, 1) }
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        switch tls {
        case .required(let caFile):
            try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            if let caFile {
                try handle.set(CURLOPT_CAINFO, caFile)
                _ = fundmail_curl_set_string(handle.easy, CURLOPT_CAPATH, nil)
            }
        case .off: try handle.set(CURLOPT_USE_SSL, Int(CURLUSESSL_NONE.rawValue))
        }
        let context = Unmanaged.passUnretained(observer).toOpaque()  // the handle keeps it
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_DEBUGDATA, context), during: "login")
        try check(fundmail_curl_set_debug(handle.easy, LoginObserver.callback), during: "login")
        try handle.set(CURLOPT_VERBOSE, 1)
    }

    /// The place to connect to, and nothing more than a connection.
    private func setAddress(_ handle: borrowing CurlHandle, _ scheme: String) throws(ConnectionError) {
        try handle.set(CURLOPT_PROTOCOLS_STR, scheme)
        let server = endpoint.server
        try handle.set(CURLOPT_URL, "\(scheme)://\(server.urlHost):\(server.port)/\(endpoint.path)")
        try handle.closeSocketsOnExec()
        try handle.set(CURLOPT_CONNECT_ONLY, 1)
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_QUICK_EXIT, 1)  // a name server that hangs does not hold up a cancellation
    }

    /// A server that sends no greeting for so long may wait for TLS.
    private static let longestSilence = Duration.seconds(3)
    /// For the handshake that finds out.
    private static let handshakeTime = Duration.seconds(5)

    /// Finds a wrong scheme before the deadline of the greeting, which shows nothing but silence. Throws
    /// `protocolViolation` for the greeting of another protocol; `tlsExpected` when the server waits for TLS where its
    /// scheme has the server speak first.
    private func checkGreeting(_ observer: LoginObserver) throws(ConnectionError) {
        if let problem = observer.greeting.flatMap(dialect.problem) {
            throw ConnectionError(.protocolViolation, during: "login", problem)
        }
        guard !endpoint.isImplicitTLS, observer.isSilent(for: Self.longestSilence), try speaksTLS() else {
            return
        }
        throw ConnectionError(.tlsExpected, during: "login", "it says nothing before TLS begins")
    }

    /// Whether a TLS handshake succeeds at this port. There is no login on that connection, so any certificate will do.
    private func speaksTLS() throws(ConnectionError) -> Bool {
        let observer = LoginObserver(dialect, transcript: nil, secret: nil)
        let handle = try CurlHandle(observer: observer)
        try setAddress(handle, "https")
        try handle.set(CURLOPT_SSL_VERIFYPEER, 0)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        transcript?.note("the server is silent; trying TLS")
        do throws(ConnectionError) {
            return try handle.perform(atMost: Self.handshakeTime, during: "login", cancellation) == CURLE_OK
        } catch {
            guard error.code == .timedOut else { throw error }
            return false
        }
    }

    private func failure(_ code: CURLcode, _ observer: LoginObserver, _ secret: Secret?) -> ConnectionError {
        do {
            let isServersWord = code == CURLE_LOGIN_DENIED || code == CURLE_WEIRD_SERVER_REPLY
            let detail = isServersWord ? observer.lastLine : observer.lastNote
            try check(code, during: "login", detail: detail)
            return ConnectionError(.connectionLost, during: "login")
        } catch var error {
            // A server that has no time says so in the same place (RFC 5530 §3, RFC 2449 §8.1.1, RFC 3206).
            if error.code == .loginRefused || error.code == .protocolViolation || error.code == .connectionLost,
                let hint = observer.lastHint
            {
                (error.code, error.retryAfter, error.detail) = (hint.code, hint.retryAfter, observer.lastLine)
                if hint.mayBePassword { error.loginHint = .busyOrWrongPassword }
            }
            if error.code == .loginRefused { error.loginHint = hint(observer, secret) }
            return error
        }
    }

    private func hint(_ observer: LoginObserver, _ secret: Secret?) -> ConnectionError.LoginHint? {
        if observer.method?.isAPOP == true { return .serverNeedsPasswordForAPOP }
        let isASCII = ((identity?.user ?? "") + (secret?.text ?? "")).utf8.allSatisfy { $0 < 128 }
        return observer.method?.isASCII == true && !isASCII ? .onlyASCII : nil
    }
}
