internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Share links of the sender, and for administrators those of all.
extension WebRoute {
    private struct LinkBody: Decodable {
        struct Item: Decodable {
            var type: String
            var id: Int64
        }

        var items: [Item]
        var purpose: String?
        var days: Int?
        var label: String?
        var password: String?
        var maxOpenings: Int?
        var watermark: Bool?
        var showsOwner: Bool?
        var maxFiles: Int?
        var maxBytes: Int64?

        enum CodingKeys: String, CodingKey {
            case items, purpose, days, label, password, watermark
            case maxOpenings = "max_openings"
            case showsOwner = "shows_owner"
            case maxFiles = "max_files"
            case maxBytes = "max_bytes"
        }

        func order() throws -> ShareLinkOrder {
            var order = ShareLinkOrder(
                items: try items.map { item in
                    guard let kind = ItemKind(name: item.type), item.id > 0 else {
                        throw RequestError.invalid("an item has a type and an id")
                    }
                    return LibraryItemID(kind, item.id)
                })
            if let purpose {
                guard let purpose = ShareLink.Purpose(rawValue: purpose) else {
                    let words = ShareLink.Purpose.allCases.map(\.rawValue).joined(separator: ", ")
                    throw RequestError.invalid("purpose must be one of \(words)")
                }
                order.purpose = purpose
            }
            guard (1...NewShareLink.mostDays).contains(days ?? 1) else {
                throw RequestError.invalid("days must be a number from 1 to \(NewShareLink.mostDays)")
            }
            order.days = days ?? order.days
            (order.label, order.password, order.maxOpenings) = (label, password, maxOpenings)
            (order.isWatermarked, order.showsOwner) = (watermark ?? false, showsOwner ?? false)
            guard maxFiles != nil || maxBytes != nil else { return order }
            let usual = UploadAllowance.usual
            order.allowance = UploadAllowance(
                maxFiles: maxFiles ?? usual.maxFiles, maxBytes: maxBytes ?? usual.maxBytes)
            return order
        }
    }

    static let linkRoutes: [WebRoute] = [
        .get("/v1/links") { call in
            let page = try await call.links.store.links(
                of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("links", page) { $0.field($1, call) }
        },
        .post("/v1/links") { call in
            let body: LinkBody = try await call.body()
            if body.password != nil { try call.context.requireSecrecy() }
            let user = try call.user
            let link = try await call.links.make(
                try body.order(), of: user, from: ClientAddress(call.context.peer))
            return call.json(.created, headers: [.location: "/api/v1/links/\(link.id)"]) {
                $0.field(OpenedLink(link: link, owner: user), call)
            }
        },
        .get("/v1/links/{link}") { call in
            let user = try call.user
            let link = try await call.links.store.link(try call.id("link"), of: user.id)
            return call.json { $0.field(OpenedLink(link: link, owner: user), call) }
        },
        .get("/v1/links/{link}/uses") { call in
            let page = try await call.links.store.uses(
                of: try call.id("link"), of: try call.userID, try call.page(try call.query(), default: 100))
            return try call.list("uses", page) { $0.field($1) }
        },
        .act(.delete, "/v1/links/{link}") { call in
            let user = try call.user
            try await call.links.store.revokeLink(try call.id("link"), of: user.id, actor: user.email)
        },
        .get("/v1/admin/links", .administrator) { call in
            let page = try await call.links.store.links(
                of: nil, try call.page(try call.query(), default: 100))
            let now = call.parts.authenticator.now()
            return try call.list("links", page) { json, opened in json.link(opened, at: now) { $0.field($1, $2) } }
        },
        .act(.delete, "/v1/admin/links/{link}", .administrator) { call in
            try await call.links.store.revokeLink(try call.id("link"), of: nil, actor: try call.user.email)
        },
    ]
}

extension JSONWriter {
    /// The members of a link of the sender, with its address while it is live.
    fileprivate mutating func field(_ opened: OpenedLink, _ call: WebCall) {
        let now = call.parts.authenticator.now()
        link(opened, at: now) { $0.field($1, $2) }
        let isLive = call.links.isOn() && opened.link.state(at: now) == .live
        field("address", isLive ? call.address(of: opened.link) : nil)
    }

    fileprivate mutating func field(_ use: ShareLinkUse) {
        field("id", use.id)
        field("at", use.at)
        field("name", use.visitor.name)
        field("network", use.visitor.network)
        field("file_id", use.file?.id)
        field("file_name", use.file?.name)
        field("file_size", use.file?.size)
    }
}
