internal import FundHTTP
internal import Crypto
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The cookie of a session, and the proof that a change was asked for by one of our own pages.
///
/// The cookie holds a token of the web API. Alone it changes nothing: every act also needs the token of the form, which
/// other sites cannot read, and must come from this site by what the browser says (Fetch Metadata, or Origin).
struct PageSessions: Sendable {
    private static let secureName = "__Host-fundmail"
    /// On plain HTTP, where browsers refuse `__Host-` and `Secure`: this machine, or a network that is trusted.
    private static let plainName = "fundmail"
    private static let maskBytes = 32

    let drafts: DraftSeal
    private let key: SymmetricKey
    private let publicAuthorities: [String]

    init(serverKey: [UInt8], publicAuthorities: [String]) {
        drafts = DraftSeal(serverKey: serverKey)
        key = SymmetricKey(serverKey: serverKey, purpose: "fundmail page forms")
        self.publicAuthorities = publicAuthorities
    }

    // MARK: The cookie (RFC 6265)

    static func token(of request: Request, _ context: ServerContext) -> String? {
        Cookies.value(of: context.isEncrypted ? secureName : plainName, in: request)
    }

    /// For `Set-Cookie`; nil removes the cookie. It ends with the browser's session at the latest when the token does.
    static func field(_ token: String?, _ context: ServerContext) -> String {
        let age = token == nil ? "; Max-Age=0" : ""
        let name = context.isEncrypted ? secureName : plainName
        return "\(name)=\(token ?? ""); Path=/; HttpOnly; SameSite=Strict\(context.isEncrypted ? "; Secure" : "")\(age)"
    }

    // MARK: The token of forms

    /// Another text in each response, so that compression does not tell it (BREACH): a mask, and the masked code.
    func formToken(of session: String) -> String {
        let mask = RandomBytes.make(Self.maskBytes)
        return Base64.urlText(mask + zip(mask, code(of: session)).map { $0 ^ $1 })
    }

    func isFormToken(_ text: String, of session: String) -> Bool {
        guard text.utf8.count <= 128, let bytes = Base64.bytes(url: text),
            bytes.count == 2 * Self.maskBytes
        else { return false }
        let (mask, masked) = (bytes.prefix(Self.maskBytes), bytes.suffix(Self.maskBytes))
        return SecureBytes.areEqual(zip(mask, masked).map { $0 ^ $1 }, code(of: session))
    }

    private func code(of session: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(session.utf8), using: key))
    }

    // MARK: Where a request comes from

    /// Throws 403 unless one of our own pages sent it.
    func checkOrigin(of request: Request, _ context: ServerContext) throws {
        if let site = request.headers[.secFetchSite] {
            guard site == "same-origin" else { throw RequestError.foreignForm }
            return
        }
        // Behind a proxy this server may not know whether the page came over TLS.
        guard let origin = request.headers[.origin]?.lowercased(),
            let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) })
        else { throw RequestError.foreignForm }
        let authority = origin.dropFirst(scheme.count)
        let own = [request.head.authority].compactMap { $0 } + publicAuthorities
        guard own.contains(where: { $0.lowercased() == authority }) else { throw RequestError.foreignForm }
    }
}

extension RequestError {
    static let foreignForm = RequestError(
        .forbidden, "foreign-form", "this did not come from one of our pages; load the page anew and try again")
}

extension HTTPField.Name {
    static let secFetchSite = constant("Sec-Fetch-Site")
    static let secFetchMode = constant("Sec-Fetch-Mode")
    static let secFetchDest = constant("Sec-Fetch-Dest")
    static let secPurpose = constant("Sec-Purpose")
    static let crossOriginOpenerPolicy = constant("Cross-Origin-Opener-Policy")
}
