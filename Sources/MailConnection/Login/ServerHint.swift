/// Why a server refuses, and when to come back.
package struct ServerHint {
    package var code: ConnectionError.Code
    package var retryAfter: Duration?
    /// Whether the server asks for a delay of everything; other hints may concern one message.
    package var isOfServer: Bool
    /// Whether a refused login may be due to the password: the server does not say if it is that, or busy.
    package var mayBePassword: Bool

    package init(_ code: ConnectionError.Code, retryAfter: Duration?, isOfServer: Bool, mayBePassword: Bool) {
        self.code = code
        self.retryAfter = retryAfter
        self.isOfServer = isOfServer
        self.mayBePassword = mayBePassword
    }
}
