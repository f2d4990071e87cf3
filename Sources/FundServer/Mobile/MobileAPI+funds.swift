internal import HTTPTypes
internal import Hummingbird
import FundCore

extension MobileAPI {
    var fundRoutes: [MobileRoute] {
        let library = library
        return [
            MobileRoute(.get, "/funds/{1}/{2}") { call, _ in
                let user = call.user.id
                @Sendable func page(_ cursor: String?) async throws -> Page<FundEntry> {
                    try await library.funds(of: user, PageQuery(cursor: cursor))
                }
                let first = try await page(nil)
                return MobileReply.list("funds", first, write: { $0.mobileFund($1) }) { cursor in
                    try await call.sends?.takeForAnswer(within: nil)
                    return try await page(cursor)
                }
            },
            MobileRoute(.post, "/funds/{1}/{2}") { call, _ in
                Self.reply(try await library.addFund(call.text("name"), of: call.user.id))
            },
            MobileRoute(.put, "/funds/{1}/{2}/{3}") { call, _ in
                Self.reply(try await library.renameFund(call.id(0), to: call.text("name"), of: call.user.id))
            },
            MobileRoute(.delete, "/funds/{1}/{2}/{3}") { call, _ in
                try await library.deleteFund(call.id(0), of: call.user.id)
                return MobileReply.ok()
            },
        ]
    }

    private static func reply(_ fund: FundEntry) -> Response {
        MobileReply.ok { json in
            json.field("id", fund.id)
            json.key("fund")
            json.mobileFund(fund)
        }
    }
}
