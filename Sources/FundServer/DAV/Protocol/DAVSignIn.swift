internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension Authenticator {
    /// The sender of a request of a DAV client, by a password or an app password. Throws `wrongCredentials`, and 403
    /// over an unencrypted connection.
    func davSender(of request: Request, _ context: ServerContext) async throws -> SignedIn {
        try context.requireSecrecy()
        guard let field = request.headers[.authorization], let credentials = BasicCredentials(field) else {
            throw AuthenticationError.wrongCredentials
        }
        return try await user(
            named: credentials.name, password: credentials.password, from: ClientAddress(context.peer))
    }
}

extension HTTPRequest.Method {
    static let report: HTTPRequest.Method = {
        guard let method = HTTPRequest.Method("REPORT") else { preconditionFailure("REPORT cannot name a method") }
        return method
    }()
}
