internal import HTTPTypes
internal import Hummingbird
import Ingest

extension MobileAPI {
    private static let maxEmails = 500

    func addEmailRoutes(to router: some RouterMethods<ServerContext>) {
        let library = library
        on("/emails/{1}/{2}/{3}", .get, in: router) { call in
            var query = EmailQuery()
            query.fund = try await library.fund(call.id(0), of: call.user.id).id
            query.since = try call.number("since")
            query.limit = Int(min(max(try call.number("limit") ?? Int64(Self.maxEmails), 1), Int64(Self.maxEmails)))
            query.cursor = call.fields["cursor"]
            let page = try await library.emails(query, of: call.user.id)
            return MobileReply.ok { json in
                json.field("emails", page.items) { $0.mobileEmail($1) }
                if let next = page.next { json.field("cursor", next) }
            }
        }
        on("/emails/{1}/{2}/{3}/{4}", .get, in: router) { call in
            let email = try await library.email(call.id(0), of: call.user.id)
            guard email.summary.fund == (try call.id(1)) else { throw RequestFailure.notFound }
            return MobileReply.ok { json in
                json.key("email")
                json.mobileEmail(email)
            }
        }
    }
}
