internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The page where a person ends digests by the address that stands in one, without a session. Programs that look at
/// mail open its links, so that only POST changes something; mail programs send it by themselves when a person asks
/// them to (RFC 8058).
extension PageRoute {
    static let unsubscribeRoutes: [PageRoute] = [
        .get("/unsubscribe/{token}", .anyone) { call in try await unsubscribePage(call, isEnded: false) },
        .oneClick("/unsubscribe/{token}") { call in
            try await call.readOneClick()
            guard let (user, kind) = call.subscription else { return try await unsubscribePage(call, isEnded: false) }
            let change = kind == .news ? DigestChange(news: .off) : DigestChange(desk: false)
            do {
                let email = try await call.administration.user(user).user.email
                try await call.accounts.setDigests(change, of: user, actor: email)
            } catch let failure as StoreError where failure.code == .notFound {
                // The person is gone, and gets none any more.
            }
            return try await unsubscribePage(call, isEnded: true)
        },
    ]

    private static func unsubscribePage(_ call: PageCall, isEnded: Bool) async throws -> Response {
        let subscription = call.subscription
        let kind = subscription?.kind
        return call.page(
            "unsubscribe",
            [
                "isGood": kind != nil, "isEnded": isEnded && kind != nil,
                "token": call.context.parameters.get("token") ?? "",
                "question": kind.map { call.words("unsubscribe.\($0.rawValue)") }.orAbsent,
                "ended": kind.map { call.words("unsubscribe.\($0.rawValue).ended") }.orAbsent, "address": "/sign-in",
            ],
            title: call.words("unsubscribe.title"), status: kind == nil ? .notFound : .ok, isKept: false)
    }
}

extension PageCall {
    /// Who ends which digests by the address of this request; nil for one that this server did not make.
    fileprivate var subscription: (user: User.ID, kind: Digest.Kind)? {
        context.parameters.get("token").flatMap(pages.unsubscribing.subscription)
    }
}
