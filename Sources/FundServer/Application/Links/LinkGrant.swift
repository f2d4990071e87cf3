internal import FundCore

/// A browser's right to what one link shows, for as long as a person looks at it: it stands sealed in a cookie.
struct LinkGrant: Sendable, Hashable {
    /// Time after which the link has to be opened again.
    static let lifetime = Duration.seconds(4 * 3600)

    var link: ShareLink.ID
    /// The name or address that the person typed; nil for none.
    var visitor: String?
    var expiresAt: Timestamp
}

/// Seals grants. One opens only with the token of its link.
struct LinkGrantSeal: Sendable {
    /// Characters of a sealed grant: those of the longest name, and of what stands around it.
    private static let maxLength = 2048

    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail link grants") }

    func seal(_ grant: LinkGrant, of token: String) throws -> String {
        let text = "\(grant.link)\n\(grant.expiresAt.rawValue)\n\(grant.visitor ?? "")"
        return Base64.urlText(try seal.seal(Array(text.utf8), in: Array(token.utf8)))
    }

    /// Nil for text that this server did not seal for the link of this token, and for a grant that has ended.
    func open(_ text: String?, of token: String, at now: Timestamp) -> LinkGrant? {
        guard let text, text.utf8.count <= Self.maxLength, let sealed = Base64.bytes(url: text),
            let plain = seal.open(sealed, in: Array(token.utf8))
        else { return nil }
        let fields = String(decoding: plain, as: UTF8.self)
            .split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, let link = Int64(fields[0]), let end = Int64(fields[1]) else { return nil }
        let expiresAt = Timestamp(end)
        // A grant of a clock that was ahead lasts no longer than one of today.
        guard now < expiresAt, expiresAt - now <= LinkGrant.lifetime else { return nil }
        return LinkGrant(
            link: ShareLink.ID(link), visitor: fields[2].isEmpty ? nil : String(fields[2]), expiresAt: expiresAt)
    }
}
