internal import CCurl
package import FundCore

/// Requests to one web server over a connection that is kept: by HTTPS, or by HTTP to this machine. Redirections are
/// answers as others. For one thread; blocks.
package final class WebSession {
    private let handle: CurlHandle
    private let reader: WebAnswerReader
    private let limits: WebLimits
    private let cancellation: Cancellation
    /// Left out of what libcurl says.
    private let secret: Secret?

    /// - Parameters:
    ///   - identity: nil: no login. A password is given by Basic or Digest (RFC 7617, RFC 7616), a token as Bearer.
    ///   - caFile: PEM of an authority to use instead of the system's.
    package convenience init(
        identity: LoginIdentity?, caFile: String?, limits: WebLimits, cancellation: Cancellation
    ) throws(ConnectionError) {
        try self.init(identity, caFile, limits, cancellation, guardedBy: nil)
    }

    private init(
        _ identity: LoginIdentity?, _ caFile: String?, _ limits: WebLimits, _ cancellation: Cancellation,
        guardedBy addressGuard: AddressGuard?, signedBy key: SigningKey? = nil
    ) throws(ConnectionError) {
        let reader = WebAnswerReader(maxBodyBytes: limits.maxBodyBytes, addressGuard: addressGuard)
        (self.reader, self.limits, self.cancellation) = (reader, limits, cancellation)
        secret = try (identity?.credentials ?? key.map { .password($0.secret) })?.secret(isRefused: false)
        handle = try CurlHandle(observer: reader)
        try configure(caFile)
        if let identity, let secret { try logIn(identity.user, secret) }
    }

    /// A session without a login for any server of the public web, by HTTP/2 and with packed answers where the server
    /// has them. Bodies count as they are unpacked.
    /// - Parameters:
    ///   - addressGuard: judges each address before it is dialled. No proxy is used, since it would hide that address.
    ///   - caFile: PEM of an authority to use instead of the system's; nil for those.
    ///   - moreAuthorities: PEM of authorities beside those that the system trusts, instead of `caFile`.
    ///   - substitutes: the servers that are dialled in the place of some, as `CURLOPT_CONNECT_TO` has them.
    package convenience init(
        publicWeb limits: WebLimits, guardedBy addressGuard: AddressGuard, caFile: String?,
        moreAuthorities: String? = nil, substitutes: [String], cancellation: Cancellation
    ) throws(ConnectionError) {
        try self.init(nil, caFile, limits, cancellation, guardedBy: addressGuard)
        // The folder of the system's authorities stays.
        if let moreAuthorities { try handle.set(CURLOPT_CAINFO, moreAuthorities) }
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try handle.set(CURLOPT_ACCEPT_ENCODING, "gzip, deflate")
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(CURLOPT_MAXCONNECTS, Self.keptConnections)
        try handle.judgeAddresses(by: addressGuard)
        for substitute in substitutes { try connect(to: substitute) }
    }

    /// A session with one server that the configuration names, whose requests are signed.
    /// - Parameters:
    ///   - region: the region of AWS, or what the server has in its place, as it stands in signatures.
    ///   - caFile: PEM of an authority to use instead of the system's.
    ///   - substitutes: the servers that are dialled in the place of some, as `CURLOPT_CONNECT_TO` has them.
    package convenience init(
        signedBy key: SigningKey, service: String, region: String, caFile: String?, limits: WebLimits,
        substitutes: [String] = [], cancellation: Cancellation
    ) throws(ConnectionError) {
        try self.init(nil, caFile, limits, cancellation, guardedBy: nil, signedBy: key)
        // The name and the key by themselves: libcurl parts CURLOPT_USERPWD at the first colon.
        try handle.set(CURLOPT_USERNAME, key.id)
        try handle.set(CURLOPT_PASSWORD, key.secret)
        try handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):\(service)")
        for substitute in substitutes { try connect(to: substitute) }
    }

    /// Connections to servers of the public web that wait for another request.
    private static let keptConnections = 4

    private func connect(to substitute: String) throws(ConnectionError) {
        let operation = "setting up the connection"
        guard let list = fundmail_curl_slist_append(nil, substitute) else {
            throw ConnectionError(.outOfMemory, during: operation)
        }
        reader.keep(list)
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_CONNECT_TO, list), during: operation)
    }

    private func configure(_ caFile: String?) throws(ConnectionError) {
        try handle.set(CURLOPT_PROTOCOLS_STR, "https,http")
        try handle.set(CURLOPT_FOLLOWLOCATION, 0)
        try handle.set(CURLOPT_PATH_AS_IS, 1)
        try handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        try handle.set(CURLOPT_NOSIGNAL, 1)
        try handle.set(CURLOPT_QUICK_EXIT, 1)  // a name server that hangs does not hold up a cancellation
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, limits.connect.milliseconds)
        if let stall = limits.stall {
            try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
            try handle.set(CURLOPT_LOW_SPEED_TIME, Int(stall.components.seconds))
        }
        try handle.set(CURLOPT_USERAGENT, "Fundmail")
        try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
        try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
        try handle.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try handle.set(CURLOPT_CERTINFO, 1)
        if let caFile {
            try handle.set(CURLOPT_CAINFO, caFile)
            _ = fundmail_curl_set_string(handle.easy, CURLOPT_CAPATH, nil)
        }
        try handle.closeSocketsOnExec()
        let context = Unmanaged.passUnretained(reader).toOpaque()  // the handle keeps it
        let operation = "setting up the connection"
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_WRITEDATA, context), during: operation)
        try check(
            fundmail_curl_set_writer(handle.easy, CURLOPT_WRITEFUNCTION, WebAnswerReader.body), during: operation)
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_HEADERDATA, context), during: operation)
        try check(
            fundmail_curl_set_writer(handle.easy, CURLOPT_HEADERFUNCTION, WebAnswerReader.header), during: operation)
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_DEBUGDATA, context), during: operation)
        try check(fundmail_curl_set_debug(handle.easy, WebAnswerReader.note), during: operation)
        try handle.set(CURLOPT_VERBOSE, 1)
    }

    private func logIn(_ user: String, _ secret: Secret) throws(ConnectionError) {
        switch secret.kind {
        case .password:
            try handle.set(CURLOPT_HTTPAUTH, Self.basic | Self.digest)
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, secret.text)
        case .token:
            try handle.set(CURLOPT_HTTPAUTH, Self.bearer)
            try handle.set(CURLOPT_XOAUTH2_BEARER, secret.text)
        }
    }

    // Macros that Swift does not import (https://curl.se/libcurl/c/CURLOPT_HTTPAUTH.html).
    private static let (basic, digest, bearer) = (1 << 0, 1 << 1, 1 << 6)

    /// Expiry of the server's certificate, after an answer; nil without TLS.
    package var certificateExpiry: Timestamp? { CertificateExpiry.ofServer(handle.easy) }

    /// Whether the last answer was longer than the limit.
    package var wasTooLarge: Bool { reader.isTooLarge }

    /// Status and fields of the last answer, where it was longer than the limit; else nil.
    package var largeAnswer: WebAnswer? { reader.isTooLarge ? reader.answer : nil }

    /// Sends a request and waits for the whole answer, whatever its status. Throws `unsupported` for an answer that is
    /// too large, and the errors of the connection.
    package func answer(to request: WebRequest) throws(ConnectionError) -> WebAnswer {
        try answer(to: request, within: limits.request)
    }

    /// Sends a request and waits for the whole answer, for another time than that of all requests.
    package func answer(to request: WebRequest, within limit: Duration) throws(ConnectionError) -> WebAnswer {
        let operation = "\(request.method) \(request.address.path)"
        reader.reset()
        try handle.set(CURLOPT_URL, request.address.description)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { fundmail_curl_slist_free_all(list) }
        for (name, value) in request.fields {
            guard !"\(name)\(value)".utf8.contains(where: \.isControl),
                let longer = fundmail_curl_slist_append(list, "\(name): \(value)")
            else { throw ConnectionError(.outOfMemory, during: operation) }
            list = longer
        }
        try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_HTTPHEADER, list), during: operation)
        try handle.set(CURLOPT_HTTPGET, 1)
        if request.method == "HEAD" { try handle.set(CURLOPT_NOBODY, 1) }
        try handle.set(CURLOPT_CUSTOMREQUEST, request.method)
        defer {
            // The connection stays with the multi handle, for the next request.
            fundmail_curl_multi_remove_handle(handle.multi, handle.easy)
            _ = fundmail_curl_set_pointer(handle.easy, CURLOPT_HTTPHEADER, nil)
            _ = fundmail_curl_set_pointer(handle.easy, CURLOPT_POSTFIELDS, nil)
        }
        let code: CURLcode
        if let body = request.body {
            // libcurl reads the bytes where they are, and asks a callback for them where there is no pointer.
            code = try (body.isEmpty ? [0] : body)[...].withBytes { (bytes) throws(ConnectionError) in
                try handle.set(CURLOPT_POSTFIELDSIZE, body.count)
                let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                try check(fundmail_curl_set_pointer(handle.easy, CURLOPT_POSTFIELDS, start), during: operation)
                return try handle.perform(atMost: limit, during: operation, cancellation)
            }
        } else {
            code = try handle.perform(atMost: limit, during: operation, cancellation)
        }
        guard !reader.isTooLarge else {
            throw ConnectionError(
                .unsupported, during: operation, "the answer is longer than \(limits.maxBodyBytes) bytes")
        }
        let note = secret?.redacting(reader.lastNote) ?? reader.lastNote
        try check(code, during: operation, detail: code == CURLE_OK ? "" : note)
        return reader.answer
    }
}
