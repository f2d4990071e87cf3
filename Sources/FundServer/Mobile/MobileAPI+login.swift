internal import HTTPTypes
internal import Hummingbird
import FundCore

extension MobileAPI {
    @Sendable func logIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        try context.requireSecrecy()
        let fields = try await signCheck.fields(of: request, context)
        guard let name = fields["username"], let password = fields["password"] else {
            throw RequestError.invalid("username and password are needed")
        }
        do {
            let (user, token) = try await authenticator.logIn(
                .mobile, name: name, password: password, from: ClientAddress(context.peer),
                label: TokenLabel.clean(request.headers[.userAgent] ?? ""))
            context.noteUser(user.id)
            return MobileReply.ok { json in
                json.field("token", token.characters)
                json.field("expire", token.record.expiresAt)
                json.field("user_id", user.id)
            }
        } catch AuthenticationError.wrongCredentials {
            throw RequestError.wrongCredentials
        }
    }
}
