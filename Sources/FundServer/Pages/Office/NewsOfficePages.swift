internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// News of all, for administrators: feeds that are offered, and hosts that are forbidden.
extension PageRoute {
    private static let officePath = "/office/news"

    static let newsOfficeRoutes: [PageRoute] = [
        .office(officePath) { call in try await newsOfficePage(call) },
        .officeAct("\(officePath)/offered") { call, form in
            let (address, name) = (form["address"] ?? "", (form["name"] ?? "").trimmed)
            do {
                _ = try await call.offerFeed(at: address, titled: name.isEmpty ? nil : name, in: nil)
                return call.redirect(to: "\(officePath)?done=feed-offered")
            } catch let failure as any RequestErrorConvertible where failure.requestError.problem != nil {
                return try await newsOfficePage(
                    call, typed: (address, name), failure: failure.requestError, at: "address")
            }
        },
        .officeAct("\(officePath)/offered/{offer}/remove") { call, _ in
            try await call.news.withdrawFeed(try call.id("offer"), by: try call.user.email)
            return call.redirect(to: "\(officePath)?done=feed-withdrawn")
        },
        .officeAct("\(officePath)/forbidden") { call, form in
            let typed = form["hosts"] ?? ""
            let hosts = typed.split { $0.isWhitespace || $0 == "," }.map(String.init)
            do {
                try await call.news.setForbiddenHosts(hosts, by: try call.user.email)
                return call.redirect(to: "\(officePath)?done=hosts-saved")
            } catch let failure as StoreError where failure.code == .invalid {
                return try await newsOfficePage(call, hosts: typed, failure: failure.requestError, at: "hosts")
            }
        },
    ]

    private static func newsOfficePage(
        _ call: PageCall, typed: (address: String, name: String) = ("", ""), hosts: String? = nil,
        failure: RequestError? = nil, at field: String? = nil
    ) async throws -> Response {
        let offered = try await call.news.offeredFeeds()
        let forbidden = try await call.news.forbiddenHosts()
        var model: PageModel = [
            "isOffice": true, "atOfficeNews": true, "here": officePath, "typed": typed.address,
            "typedName": typed.name, "hosts": hosts ?? forbidden.joined(separator: "\n"),
            "offered": offered.map { feed -> PageModel in
                [
                    "id": "\(feed.id)", "name": feed.title, "address": feed.address,
                    "face": Initials.text(of: feed.title), "faceHue": Initials.hue(of: feed.title),
                ]
            },
            "isEmpty": offered.isEmpty, "addressFailed": false, "hostsFailed": false,
        ]
        if let failure, let field { model = model.failed(call.words.sentence(failure), at: field) }
        return call.page(
            "newsoffice", model, title: call.words("feeds.office"),
            status: failure == nil ? .ok : .unprocessableContent)
    }
}
