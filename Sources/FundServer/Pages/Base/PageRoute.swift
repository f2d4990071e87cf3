internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird

/// One page, or one act on a page.
struct PageRoute: UserRoute {
    typealias Handler = @Sendable (PageCall) async throws -> Response

    var method: HTTPRequest.Method
    var path: String
    var access: RouteAccess
    var handler: Handler
    /// Whether the response is sent while it is read, and reserves room itself.
    var isStreamed = false
    var opensBeforeSecondFactor = false
    var asksForProof = false
    var isOfNews = false
    var provesItself = false
    /// Whether its page has a region that shows what arrives (`data-live`).
    var isLive = false
    /// Whether opening its page marks something as read, of which the shell beside it tells: that is read after it.
    var marksRead = false
    /// The text in a form that came when the session had ended, which is carried along; nil carries nothing.
    var draft: (@Sendable (PageCall, FieldText) throws -> PageDraft)?

    var streamed: PageRoute { with { $0.isStreamed = true } }
    /// A page or an act by which a second factor is set up, or one signs out.
    var beforeSecondFactor: PageRoute { with { $0.opensBeforeSecondFactor = true } }
    /// An act for which who has a second factor proves first that it is they.
    var proven: PageRoute { with { $0.asksForProof = true } }
    var live: PageRoute { with { $0.isLive = true } }
    var marking: PageRoute { with { $0.marksRead = true } }

    func keeping(_ draft: @escaping @Sendable (PageCall, FieldText) throws -> PageDraft) -> PageRoute {
        with { $0.draft = draft }
    }

    static func get(_ path: String, _ access: RouteAccess = .user, _ handler: @escaping Handler) -> PageRoute {
        PageRoute(method: .get, path: path, access: access, handler: handler)
    }

    /// An act: the form's `csrf` is checked before the handler runs.
    static func post(
        _ path: String, _ access: RouteAccess = .user,
        _ handler: @escaping @Sendable (PageCall, FieldText) async throws -> Response
    ) -> PageRoute {
        PageRoute(method: .post, path: path, access: access) { call in
            let form = try await call.form()
            try call.checkToken(form["csrf"])
            try await call.requireSender(for: access)
            return try await handler(call, form)
        }
    }

    /// A page for administrators.
    static func office(_ path: String, _ handler: @escaping Handler) -> PageRoute {
        .get(path, .administrator, handler)
    }

    /// An act of administrators.
    static func officeAct(
        _ path: String, _ handler: @escaping @Sendable (PageCall, FieldText) async throws -> Response
    ) -> PageRoute {
        .post(path, .administrator, handler)
    }

    /// An act whose body is read by the handler, which checks the token of the form itself.
    static func upload(_ path: String, _ handler: @escaping Handler) -> PageRoute {
        PageRoute(method: .post, path: path, access: .user, handler: handler)
    }

    /// An operation for scripts alone; the token of a form comes in the head.
    static func script(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) -> PageRoute {
        PageRoute(method: method, path: path, access: .user) { call in
            try call.checkToken(call.request.headers[.formToken])
            return try await handler(call)
        }
    }

    /// An act that needs no token of the session that is there, if any.
    static func tokenless(_ path: String, _ handler: @escaping Handler) -> PageRoute {
        PageRoute(method: .post, path: path, access: .anyone, handler: handler)
    }

    /// An act that mail programs send, from wherever they are: the address alone proves who may do it.
    static func oneClick(_ path: String, _ handler: @escaping Handler) -> PageRoute {
        tokenless(path, handler).with { $0.provesItself = true }
    }
}
