internal import CCurl
internal import Glibc

/// libcurl, which is loaded with the first connection.
package enum CurlLibrary {
    /// Loads it, with the thirty libraries that it needs: the program can do other things in that time. It must not end
    /// meanwhile: what exit(3) takes down is what is being set up here.
    package static func preload() async { try? require() }

    /// Throws when it is missing, or cannot be used.
    static func require() throws(ConnectionError) {
        guard isThere else {
            throw ConnectionError(.unsupported, during: "starting libcurl", "libcurl.so.4 is missing: install libcurl4")
        }
        guard isReady else { throw ConnectionError(.outOfMemory, during: "starting libcurl") }
    }

    private static let isThere = fundmail_curl_is_there() != 0

    /// Once per process. With `CURLOPT_NOSIGNAL` libcurl leaves SIGPIPE alone, and OpenSSL writes with write(2): a
    /// server that hangs up would end the process.
    private static let isReady: Bool = {
        var action = sigaction()
        if sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil {
            signal(SIGPIPE, SIG_IGN)
        }
        return fundmail_curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
    }()
}
