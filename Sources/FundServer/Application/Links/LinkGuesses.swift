internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// Counts the addresses of links that a network asks for and that lead nowhere: one that tries many is not answered for
/// a while. No guess meets 256 bits; this keeps guesses from keeping the store busy.
struct LinkGuesses: Sendable {
    /// A mail program that checks the links of an old mailbox asks for a few dozen that have ended.
    static let maxMisses = 60
    static let interval = Duration.seconds(60)
    private static let maxNetworks = 10_000

    private let networks = CountWindow<ClientAddress>(most: maxMisses, within: interval, maxKeys: maxNetworks)

    /// Notes an address that leads nowhere.
    func note(from network: ClientAddress, at now: ContinuousClock.Instant = .now) { networks.note(network, at: now) }

    /// Throws 429 for a network that guesses.
    func check(_ network: ClientAddress, at now: ContinuousClock.Instant = .now) throws {
        guard !networks.isFull(network, at: now) else { throw RequestError.tooManyGuesses }
    }
}

/// Counts the openings of each link by each network: every one writes, also of a link without a password.
struct LinkOpenings: Sendable {
    /// All people of a company behind one address open a link, each once in four hours.
    static let most = 100
    static let interval = Duration.seconds(3600)
    private static let maxCounted = 10_000

    private struct Place: Hashable {
        var link: ShareLink.ID
        var network: ClientAddress
    }

    private let places = CountWindow<Place>(most: most, within: interval, maxKeys: maxCounted)

    /// Counts an opening. Throws 429 when too many came.
    func take(_ link: ShareLink.ID, from network: ClientAddress, at now: ContinuousClock.Instant = .now) throws {
        // One customer has 65,536 networks of IPv6.
        guard places.take(Place(link: link, network: network.site), at: now) else {
            throw RequestError.tooManyOpenings
        }
    }
}

extension RequestError {
    fileprivate static let tooManyGuesses = RequestError(
        .tooManyRequests, "too-many-links", "too many links were tried from this network; try again in a minute",
        headers: [.retryAfter: "60"])
    fileprivate static let tooManyOpenings = RequestError(
        .tooManyRequests, "too-many-openings",
        "this link was opened too often from this network; try again in an hour", headers: [.retryAfter: "3600"])
}
