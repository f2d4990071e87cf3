internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Cookies of a browser that is about to sign in. None of them is a session.
enum SignInCookie: String, CaseIterable {
    /// A sealed `PendingLogin`: the password was right.
    case pending = "fundmail-pending"
    /// Random characters by which challenges for passkeys know the browser.
    case browser = "fundmail-browser"

    private static let seconds = 600

    private func name(_ context: ServerContext) -> String { (context.isEncrypted ? "__Host-" : "") + rawValue }

    func value(in call: PageCall) -> String? { Cookies.value(of: name(call.context), in: call.request) }

    /// The field `Set-Cookie`; nil removes the cookie.
    func field(_ value: String?, _ context: ServerContext) -> String {
        let age = value == nil ? 0 : Self.seconds
        let secure = context.isEncrypted ? "; Secure" : ""
        return "\(name(context))=\(value ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict\(secure)"
    }
}

extension PageCall {
    /// The site that passkeys are for; nil where there can be none.
    var passkeySite: RelyingParty? {
        if let url = pages.publicURL { return RelyingParty(url: url) }
        return request.head.authority.flatMap { RelyingParty(authority: $0, isEncrypted: context.isEncrypted) }
    }
}
