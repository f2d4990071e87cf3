internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// News of all, for administrators: feeds that are offered, hosts that are forbidden, and how all feeds do.
extension WebRoute {
    private struct OfferBody: Decodable, Sendable {
        var address: String
        var title: String?
        var folder: String?
    }

    private struct HostsBody: Decodable, Sendable {
        var hosts: [String]
    }

    static let newsOfficeRoutes: [WebRoute] = [
        .get("/v1/admin/news/feeds", .administrator) { call in
            let page = try await call.news.allFeeds(try call.page(try call.query(), default: 100))
            return try call.list("feeds", page) { $0.field($1) }
        },
        .post("/v1/admin/news/offered", .administrator) { call in
            let body: OfferBody = try await call.body()
            let feed = try await call.offerFeed(at: body.address, titled: body.title, in: body.folder)
            return call.json(.created) { $0.field(feed) }
        },
        .act(.delete, "/v1/admin/news/offered/{offer}", .administrator) { call in
            try await call.news.withdrawFeed(try call.id("offer"), by: try call.user.email)
        },
        .get("/v1/admin/news/forbidden-hosts", .administrator) { call in
            let hosts = try await call.news.forbiddenHosts()
            return call.json { $0.field("hosts", hosts) }
        },
        .put("/v1/admin/news/forbidden-hosts", .administrator) { call in
            let body: HostsBody = try await call.body()
            try await call.news.setForbiddenHosts(body.hosts, by: try call.user.email)
            let hosts = try await call.news.forbiddenHosts()
            return call.json { $0.field("hosts", hosts) }
        },
    ]
}
