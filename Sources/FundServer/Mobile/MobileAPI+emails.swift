internal import HTTPTypes
internal import Hummingbird
import FundCore

extension MobileAPI {
    private static let maxEmails = 500

    var emailRoutes: [MobileRoute] {
        let library = library
        return [
            MobileRoute(.get, "/emails/{1}/{2}/{3}") { call, _ in
                var query = EmailQuery()
                query.fund = try await library.fund(call.id(0), of: call.user.id).id
                query.since = try call.time("since")
                query.limit = Int(min(max(try call.number("limit") ?? Int64(Self.maxEmails), 1), Int64(Self.maxEmails)))
                query.cursor = call.fields["cursor"]
                let page = try await library.emails(query, of: call.user.id)
                return MobileReply.ok { json in
                    json.field("emails", page.items) { $0.mobileEmail($1) }
                    if let next = page.next { json.field("cursor", next) }
                }
            },
            MobileRoute(.get, "/emails/{1}/{2}/{3}/{4}") { call, _ in
                let email = try await library.email(call.id(0), of: call.user.id)
                guard email.summary.fund == (try call.id(1)) else { throw RequestError.notFound }
                return MobileReply.ok { json in
                    json.key("email")
                    json.mobileEmail(email)
                }
            },
        ]
    }
}
