/// The server of a connection, as libcurl has to know it.
package struct LoginEndpoint: Sendable, Hashable {
    /// Scheme of the URL: `imaps`.
    package var scheme: String
    /// TLS begins with the first byte.
    package var isImplicitTLS: Bool
    package var server: HostAndPort
    /// Path of the URL, without the slash; of SMTP the name of this machine
    /// (https://curl.se/libcurl/c/CURLOPT_URL.html).
    package var path = ""

    package init(scheme: String, isImplicitTLS: Bool, server: HostAndPort, path: String = "") {
        self.scheme = scheme
        self.isImplicitTLS = isImplicitTLS
        self.server = server
        self.path = path
    }
}

/// The user of a login, and the proof.
package struct LoginIdentity: Sendable {
    package var user: String
    package var credentials: Credentials

    package init(user: String, credentials: Credentials) {
        self.user = user
        self.credentials = credentials
    }
}
