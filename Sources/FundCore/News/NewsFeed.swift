/// A feed that is fetched for all who read it: one for each address.
package struct NewsFeed: Sendable, Hashable {
    package typealias ID = FundCore.ID<NewsFeed>

    package var id: ID
    package var address: String
    /// The title that the feed gives itself; its host until it was read for the first time.
    package var title: String
    /// The page that the feed belongs to, as a whole address.
    package var siteAddress: String?
    package var health: NewsFeedHealth

    package init(id: ID, address: String, title: String, siteAddress: String? = nil, health: NewsFeedHealth) {
        self.id = id
        self.address = address
        self.title = title
        self.siteAddress = siteAddress
        self.health = health
    }
}

/// The result of a feed's latest fetches.
package struct NewsFeedHealth: Sendable, Hashable {
    /// Time of the latest attempt; nil before the first.
    package var fetchedAt: Timestamp?
    /// Time of the latest attempt that found the feed, changed or not.
    package var succeededAt: Timestamp?
    /// Time of the next attempt; nil for a feed that is gone for good (410).
    package var nextAt: Timestamp?
    /// Attempts that failed since the last one that succeeded.
    package var failureCount: Int
    /// The reason of the latest failure; nil after a success.
    package var problem: NewsProblem?
    /// More about the failure in English, such as the status or the error of the network. Nil when nothing is known.
    package var detail: String?

    package init(
        fetchedAt: Timestamp? = nil, succeededAt: Timestamp? = nil, nextAt: Timestamp? = nil, failureCount: Int = 0,
        problem: NewsProblem? = nil, detail: String? = nil
    ) {
        self.fetchedAt = fetchedAt
        self.succeededAt = succeededAt
        self.nextAt = nextAt
        self.failureCount = failureCount
        self.problem = problem
        self.detail = detail
    }

    /// Failures in a row from which on people are told: a server that restarts is no problem yet.
    package static let failuresUntilTold = 3

    /// Whether people should look after the feed.
    package var isFailing: Bool { problem == .gone || failureCount >= Self.failuresUntilTold }
}

/// The reason for which a feed cannot be fetched or read. Raw values are stored.
package enum NewsProblem: String, Sendable, Hashable, CaseIterable {
    /// The text is no address of a web server at one of the allowed ports.
    case address
    /// An administrator has forbidden the host.
    case forbidden
    /// The host resolves to an address that is not on the public internet.
    case privateAddress = "private_address"
    /// The host has no address, or cannot be connected to.
    case unreachable
    /// The certificate or the encryption of the server is not acceptable.
    case certificate
    /// The server took too long.
    case tooSlow = "too_slow"
    case tooLarge = "too_large"
    /// The server led to more addresses one after the other than are followed.
    case tooManyRedirects = "too_many_redirects"
    /// The server asks for a login, or refuses (401, 402, 403, 407, 451).
    case refused
    /// There is nothing at the address (404).
    case notFound = "not_found"
    /// The server says that the feed is gone for good (410).
    case gone
    /// The server asks for fewer requests (429), or for a pause (503).
    case busy
    /// Any other status of failure.
    case server
    /// There is a document, and it is no feed.
    case noFeed = "no_feed"
    /// The document broke the process that read it.
    case unreadable

    /// A sentence in English without a full stop.
    package var text: String {
        switch self {
        case .address: "this is no web address"
        case .forbidden: "the administrators do not allow this site"
        case .privateAddress: "the address leads to a machine that is not on the public internet"
        case .unreachable: "the site cannot be reached"
        case .certificate: "the certificate of the site is not valid"
        case .tooSlow: "the site does not answer in time"
        case .tooLarge: "the feed is too large"
        case .tooManyRedirects: "the address leads from one to the next without an end"
        case .refused: "the site refuses access"
        case .notFound: "there is nothing at this address"
        case .gone: "the feed has been discontinued"
        case .busy: "the site asks for a pause"
        case .server: "the site has an error"
        case .noFeed: "there is no feed at this address"
        case .unreadable: "the feed cannot be read"
        }
    }
}

/// A failure to fetch or read a feed.
package struct NewsError: OperationalError, Sendable, CustomStringConvertible {
    package var problem: NewsProblem
    /// More about it in English, such as the status or the error of the network. Nil when nothing is known.
    package var detail: String?

    package init(_ problem: NewsProblem, _ detail: String? = nil) { (self.problem, self.detail) = (problem, detail) }

    package var isTemporary: Bool { [.unreachable, .tooSlow, .busy, .server].contains(problem) }

    package var condition: ErrorCondition {
        switch problem {
        case .address, .forbidden, .privateAddress, .notFound, .gone, .noFeed, .tooLarge, .unreadable: .input
        case .busy: .busy
        default: .unavailable
        }
    }

    package var description: String { detail.map { "\(problem.text) (\($0))" } ?? problem.text }
}
