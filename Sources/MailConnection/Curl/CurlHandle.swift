internal import CCurl
internal import Glibc

/// An easy handle inside a multi handle of its own: a wait on a multi can be interrupted, and a handle made with
/// `CURLOPT_CONNECT_ONLY` stays in it while its connection is used
/// (https://curl.se/libcurl/c/CURLOPT_CONNECT_ONLY.html).
struct CurlHandle: ~Copyable {
    let easy: UnsafeMutableRawPointer  // CURL *, owned
    let multi: UnsafeMutableRawPointer  // CURLM *, owned
    /// The object that callbacks get: libcurl holds a pointer to it until the end of `deinit`, since it calls back
    /// while it closes the connection, too.
    private let observer: AnyObject

    init(observer: AnyObject) throws(ConnectionError) {
        try CurlLibrary.require()
        guard let easy = fundmail_curl_easy_init() else {
            throw ConnectionError(.outOfMemory, during: "starting libcurl")
        }
        guard let multi = fundmail_curl_multi_init() else {
            fundmail_curl_easy_cleanup(easy)
            throw ConnectionError(.outOfMemory, during: "starting libcurl")
        }
        (self.easy, self.multi, self.observer) = (easy, multi, observer)
    }

    deinit {
        fundmail_curl_multi_remove_handle(multi, easy)
        fundmail_curl_easy_cleanup(easy)
        fundmail_curl_multi_cleanup(multi)
    }

    /// Child processes (token commands) must not inherit it: libcurl opens sockets without close-on-exec
    /// (https://curl.se/libcurl/c/CURLOPT_OPENSOCKETFUNCTION.html). No mail goes through its own wake-up pair.
    func closeSocketsOnExec() throws(ConnectionError) {
        let code = fundmail_curl_set_opensocket(easy) { _, _, address in
            guard let address else { return -1 }
            let kind = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
            return socket(address.pointee.family, kind, address.pointee.protocol)
        }
        try check(code, during: "setting up the connection")
    }

    /// Room for several records of TLS, which `CurlChannel.readAhead` then takes at once: OpenSSL's own takes one.
    func enlargeReadBuffer() {
        guard Self.setReadBufferLength != nil else { return }
        _ = fundmail_curl_set_tls_context(easy) { _, context, _ in
            CurlHandle.setReadBufferLength?(context, CurlHandle.readBufferBytes)
            return CURLE_OK
        }
    }

    private static let readBufferBytes = 64 << 10

    /// Nil when libcurl has another TLS library. Found by name, so that OpenSSL's headers are not needed to build.
    private static let setReadBufferLength =
        fundmail_curl_has_openssl() == 0
        ? nil
        : dlsym(nil, "SSL_CTX_set_default_read_buffer_len").map {
            unsafeBitCast($0, to: (@convention(c) (UnsafeMutableRawPointer?, Int) -> Void).self)
        }

    func set(_ option: CURLoption, _ value: Int) throws(ConnectionError) {
        try check(fundmail_curl_set_long(easy, option, value), during: "setting up the connection")
    }

    func set(_ option: CURLoption, _ value: String) throws(ConnectionError) {
        try check(fundmail_curl_set_string(easy, option, value), during: "setting up the connection")
    }
}

/// Part of libcurl 7.88's text for a handshake that failed without an OpenSSL error: the connection was lost or reset.
/// For a refusal the text has `OpenSSL/3.0.19: error:…` instead (lib/vtls/openssl.c, ossl_connect_step2).
private let connectionLostMark = " SSL_connect: "

/// The only place that maps libcurl's codes to `ConnectionError` (https://curl.se/libcurl/c/libcurl-errors.html).
func check(_ code: CURLcode, during operation: String, detail: String = "") throws(ConnectionError) {
    guard code != CURLE_OK else { return }
    let meaning: ConnectionError.Code =
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_PROXY: .unreachable
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .certificate
        case CURLE_SSL_CONNECT_ERROR where detail.contains(connectionLostMark): .connectionLost
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .tlsRequired
        case CURLE_LOGIN_DENIED, CURLE_AUTH_ERROR: .loginRefused
        case CURLE_OPERATION_TIMEDOUT: .timedOut
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: .connectionLost
        case CURLE_WEIRD_SERVER_REPLY: .protocolViolation
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .outOfMemory
        default: .unsupported
        }
    let text = detail.isEmpty ? String(cString: fundmail_curl_easy_strerror(code)) : detail
    throw ConnectionError(meaning, during: operation, text)
}
