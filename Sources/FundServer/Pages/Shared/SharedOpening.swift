internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// The first page of a link, and the button that opens it.
extension SharedRoute {
    static let openingRoutes: [SharedRoute] = [
        SharedRoute(method: .get, path: "/{token}", needsGrant: false) { call in
            guard call.grant != nil else { return door(call, try await call.links.openable(call.token)) }
            let opened = try await call.opened()
            guard opened.link.purpose != .upload else { return try await uploadPage(opened, call) }
            return try await firstPage(opened, call)
        },
        SharedRoute(method: .post, path: "/{token}/open", needsGrant: false) { call in
            let form = try await call.page.form()
            let found = try await call.links.openable(call.token)
            let link = found.opened.link
            if link.hasPassword { try call.page.context.requireSecrecy() }
            let visitor: String?
            switch SharedVisitor(form["name"], for: link) {
            case .named(let name): visitor = name
            case .missing: return door(call, found, failure: .name)
            case .noAddress: return door(call, found, failure: .address)
            }
            let outcome = try await call.links.open(
                found, password: form["password"] ?? "", visitor: visitor, from: call.network)
            switch outcome {
            case .opened(let grant):
                return call.page.redirect(to: call.base, headers: [.setCookie: try call.cookie(grant)])
            case .wrongPassword: return door(call, found, failure: .password, typed: visitor)
            case .gone: throw RequestError.notFound
            }
        },
    ]

    /// The field of the form that something is wrong with.
    private enum Failure: String {
        case name, address, password

        var field: String { self == .address ? Failure.name.rawValue : rawValue }
    }

    /// Says that there is something, and nothing of what: programs that look at mail open its links.
    private static func door(
        _ call: SharedCall, _ found: ShareLinks.Openable, failure: Failure? = nil, typed: String? = nil
    ) -> Response {
        let link = found.opened.link
        let kind = link.purpose == .upload ? "upload" : "read"
        var model: PageModel = [
            "hasPassword": link.hasPassword, "asksName": link.isWatermarked || link.purpose == .upload,
            "isAddress": link.isWatermarked, "lead": call.words("shared.door.\(kind)"),
            "button": call.words("shared.open.\(kind)"), "typed": typed ?? "",
        ]
        if link.showsOwner { model["owner"] = owner(found.opened.owner) }
        if let failure {
            model.fail(call.words("shared.failed.\(failure.rawValue)"), at: failure.field)
            model["\(failure.field)Failed"] = true
        }
        return call.page(
            "shareddoor", model, title: call.words("shared.title"),
            status: failure == nil ? .ok : .unprocessableContent)
    }

    /// The person who shares, where they want that said.
    static func owner(_ user: User) -> PageModel {
        ["ownerName": user.name.orAbsent, "ownerAddress": user.email]
    }
}

/// The words that a person wrote about themselves before a link opens.
enum SharedVisitor: Equatable {
    case named(String?)
    /// The link asks for a name or an address.
    case missing
    /// The link asks for an address.
    case noAddress

    /// Characters of an address that a mark has room for.
    private static let maxMarkLength = 80

    init(_ typed: String?, for link: ShareLink) {
        let name = String((typed ?? "").label.unicodeScalars.prefix(ShareVisitor.maxNameLength)).trimmed
        guard link.isWatermarked else {
            self = link.purpose == .upload ? (name.hasVisibleScalar ? .named(String(name)) : .missing) : .named(nil)
            return
        }
        // The mark on the pictures tells who looked: an address of blanks or of combining marks would leave none.
        let isReadable = name.utf8.count <= Self.maxMarkLength && name.utf8.allSatisfy(ASCII.isVisible)
        let address = isReadable ? EmailAddress(String(name)) : nil
        self = address.map { .named($0.description) } ?? .noAddress
    }
}
