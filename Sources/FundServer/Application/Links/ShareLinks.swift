internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// Share links as their owners make them, and as people outside open them.
final class ShareLinks: Sendable {
    let store: any ShareLinkStore
    let key: ShareLinkKey
    let grants: LinkGrantSeal
    let guesses = LinkGuesses()
    let openings = LinkOpenings()
    let reservations = LinkReservations()
    let transfers: LinkTransfers
    /// Zip files by the links of one owner at a time: the others are the owner's own.
    let zipPermits = UserPermits(most: 2)
    /// Nil for a server without previews.
    let pictures: WatermarkedPictures?
    /// Whether the company wants links. Without, none can be made, and those that are there show nothing.
    let isOn: @Sendable () -> Bool
    /// Address of this server for people; nil when only their requests tell it.
    let publicURL: String?
    private let authenticator: Authenticator
    private let throttle: LoginThrottle

    init(
        store: any ShareLinkStore, authenticator: Authenticator, serverKey: [UInt8], commits: Signal,
        previews: (any PreviewSource)?, publicURL: String?, isOn: @escaping @Sendable () -> Bool
    ) {
        self.store = store
        self.authenticator = authenticator
        self.publicURL = publicURL
        self.isOn = isOn
        key = ShareLinkKey(serverKey: serverKey)
        grants = LinkGrantSeal(serverKey: serverKey)
        transfers = LinkTransfers(commits: commits, isOn: isOn)
        pictures = previews.map { WatermarkedPictures(source: $0) }
        throttle = LoginThrottle(
            store: authenticator.store, backOff: authenticator.settings.backOff, serverKey: serverKey,
            kind: "share links")
    }

    /// Throws 403 where the company wants no links.
    func requireOn() throws {
        guard isOn() else { throw RequestError.linksOff }
    }

    // MARK: Owners

    /// Makes a link. Throws `StoreError`, `LinkPasswordProblem`, and 403 where there are to be none.
    func make(_ order: ShareLinkOrder, of user: User, from address: ClientAddress) async throws -> ShareLink {
        try requireOn()
        let now = authenticator.now()
        var link = NewShareLink(
            items: order.items, purpose: order.purpose, expiresAt: now + .seconds(Int64(order.days) * 86_400),
            secret: key.makeSecret())
        link.label = order.label.flatMap { $0.label.isEmpty ? nil : $0.label }
        link.maxOpenings = order.maxOpenings
        link.isWatermarked = order.isWatermarked
        link.showsOwner = order.showsOwner
        if let allowance = order.allowance { link.allowance = allowance }
        // Before the time that a hash takes.
        if let problem = link.problem(at: now) { throw StoreError("make a link", problem) }
        if let password = order.password, !password.isEmpty {
            if let problem = Password.problem(with: password, addresses: []) {
                throw LinkPasswordProblem(problem: problem)
            }
            link.passwordHash = try await authenticator.passwords.hash(Password(password), from: address)
        }
        return try await store.addLink(link, of: user.id, at: now)
    }

    /// The address of a link.
    /// - Parameter own: the server as the owner's request named it, where the configuration does not.
    func address(of link: ShareLink, own: String) -> String { key.address(of: link, at: publicURL ?? own) }

    // MARK: People outside

    enum Opening: Sendable {
        case opened(LinkGrant)
        case wrongPassword
        /// The link cannot be opened any more.
        case gone
    }

    /// A link that can be opened, with the hash of its password; nil where it has none.
    typealias Openable = (opened: OpenedLink, passwordHash: String?)

    /// The link of a token. Throws 404 where there is none, or it cannot be opened.
    func openable(_ token: String) async throws -> Openable {
        guard let found = try await store.openableLink(ShareLinkKey.digest(token), at: authenticator.now()) else {
            throw RequestError.notFound
        }
        return found
    }

    /// Opens a link for one browser, and counts it. Throws `AuthenticationError` when too many passwords were wrong,
    /// and 429 when the network opened the link too often.
    func open(
        _ found: Openable, password: String, visitor: String?, from address: ClientAddress
    ) async throws -> Opening {
        let now = authenticator.now()
        let link = found.opened.link.id
        if let kept = found.passwordHash {
            guard try await isRight(password, kept, of: link, from: address, at: now) else { return .wrongPassword }
        }
        try openings.take(link, from: address)
        let visitor = ShareVisitor(name: visitor, network: address.description)
        guard try await store.open(link, passwordHash: found.passwordHash, by: visitor, at: now) != nil else {
            return .gone
        }
        return .opened(LinkGrant(link: link, visitor: visitor.name, expiresAt: now + LinkGrant.lifetime))
    }

    private func isRight(
        _ password: String, _ kept: String, of link: ShareLink.ID, from address: ClientAddress, at now: Timestamp
    ) async throws -> Bool {
        guard let hash = PasswordHash(kept) else { return false }
        let workers = authenticator.passwords.workers
        let right: Bool? = try await throttle.run(
            at: throttle.place(name: "\(link)", from: address), now: now, isKnown: false
        ) { _ in
            let isRight = try await workers.run(for: address.description) { try hash.matches(Password(password)) }
            return isRight ? true : nil
        }
        return right == true
    }
}

extension RequestError {
    static let linksOff = RequestError(.forbidden, "links-off", "this company shares nothing by links")
}
