internal import HTTPTypes
internal import Hummingbird
import Ingest

extension MobileAPI {
    func addFundRoutes(to router: some RouterMethods<ServerContext>) {
        let library = library
        on("/funds/{1}/{2}", .get, in: router) { call in
            let funds = try await library.funds(of: call.user.id)
            return MobileReply.ok { $0.field("funds", funds) { $0.mobileFund($1) } }
        }
        on("/funds/{1}/{2}", .post, in: router) { call in
            Self.reply(try await library.addFund(call.text("name"), of: call.user.id))
        }
        on("/funds/{1}/{2}/{3}", .put, in: router) { call in
            Self.reply(try await library.renameFund(call.id(0), to: call.text("name"), of: call.user.id))
        }
        on("/funds/{1}/{2}/{3}", .delete, in: router) { call in
            try await library.deleteFund(call.id(0), of: call.user.id)
            return MobileReply.ok()
        }
    }

    private static func reply(_ fund: FundEntry) -> Response {
        MobileReply.ok { json in
            json.field("id", fund.id)
            json.key("fund")
            json.mobileFund(fund)
        }
    }
}
