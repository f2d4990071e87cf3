internal import HTTPTypes
internal import Hummingbird
import Ingest

extension MobileAPI {
    private static let maxLoginBytes = 16 * 1024

    @Sendable func logIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        try context.requireSecrecy()
        let fields = try await MobileGate.fields(of: request, maxBytes: Self.maxLoginBytes)
        guard let name = fields["username"], let password = fields["password"] else {
            throw RequestFailure.invalid("username and password are needed")
        }
        do {
            let user = try await authenticator.logIn(
                name: name, password: password, from: ClientAddress(context.peer))
            context.noteUser(user.id)
            let label = TokenLabel.clean(request.headers[.userAgent] ?? "")
            let token = try await authenticator.issueToken(.mobile, for: user, label: label)
            return MobileReply.ok { json in
                json.field("token", token.characters)
                json.field("expire", token.record.expiresAt)
                json.field("user_id", user.id)
            }
        } catch AuthenticationRefusal.wrongCredentials {
            throw RequestFailure.wrongCredentials
        }
    }
}
