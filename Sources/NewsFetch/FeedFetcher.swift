internal import Dispatch
import FundCore
internal import MailConnection
internal import Synchronization

/// Fetches documents of the public web: with limits of time, size and redirections, without cookies and proxies, and
/// from no address that its reach leaves out.
///
/// `@unchecked Sendable`: the session is made and used on `queue` alone.
final class FeedFetcher: @unchecked Sendable {
    static let maxRedirects = 5
    /// Bytes of a document as it is unpacked.
    static let maxBodyBytes = 5 << 20
    private static let connectLimit = Duration.seconds(10)
    private static let accepted = """
        application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, text/xml;q=0.9, \
        application/json;q=0.8, text/html;q=0.7, */*;q=0.5
        """

    private let reach: FetchReach
    private let cancellation: Cancellation
    private let forbiddenSites: @Sendable () async throws -> ForbiddenSites
    private let queue: DispatchQueue
    private let judge: AddressGuard
    private let forbidden: CurrentSites
    private var session: WebSession?
    /// Sites that were forbidden when the session was made: its connections were judged by them.
    private var judgedBy = ForbiddenSites([])

    /// - Parameter forbiddenSites: asked before each request, those of redirections included.
    init(
        _ reach: FetchReach, number: Int = 1, cancellation: Cancellation,
        forbiddenSites: @escaping @Sendable () async throws -> ForbiddenSites
    ) {
        (self.reach, self.cancellation, self.forbiddenSites) = (reach, cancellation, forbiddenSites)
        queue = DispatchQueue(label: "fundmail.news.\(number)")
        let forbidden = CurrentSites()
        self.forbidden = forbidden
        judge = AddressGuard { address in
            reach.isAllowed(address) && !(IPAddress(address.bytes).map(forbidden.contains) ?? true)
        }
    }

    /// The sites that are forbidden while a request is under way.
    private final class CurrentSites: Sendable {
        private let sites = Mutex(ForbiddenSites([]))

        func set(_ sites: ForbiddenSites) { self.sites.withLock { $0 = sites } }
        func contains(_ address: IPAddress) -> Bool { sites.withLock { $0.contains(address) } }
    }

    /// Fetches a document. Throws `FetchFailure`, and errors of the store.
    /// - Parameter validators: of the document that is known already.
    func fetch(
        _ address: NewsAddress, unlessLike validators: FeedValidators = FeedValidators(), now: Timestamp = .now
    ) async throws -> FetchedDocument {
        let deadline = ContinuousClock.now + reach.limit
        var (next, movedTo): (NewsAddress, NewsAddress?) = (address, nil)
        var isForGood = true
        for _ in 0...Self.maxRedirects {
            let sites = try await forbiddenSites()
            guard !sites.contains(host: next.host) else { throw FetchFailure(NewsError(.forbidden, next.host)) }
            // They were another address's: a feed could make another one's document pass for its own.
            let sent = movedTo == nil ? validators : FeedValidators()
            let answer = try await answer(from: next, sent, besides: sites, until: deadline)
            guard let target = try redirection(of: answer, from: next) else {
                return try document(answer, from: next, movedTo: movedTo, now)
            }
            isForGood = isForGood && (answer.status == 301 || answer.status == 308)
            if isForGood { movedTo = target }
            next = target
        }
        throw FetchFailure(NewsError(.tooManyRedirects))
    }

    /// The address to which an answer leads; nil for one that leads nowhere.
    private func redirection(of answer: WebAnswer, from address: NewsAddress) throws(FetchFailure) -> NewsAddress? {
        guard [301, 302, 303, 307, 308].contains(answer.status) else { return nil }
        guard let location = answer.fields["location"], let target = address.resolving(location) else {
            throw FetchFailure(NewsError(.address, answer.fields["location"].map { $0.label.prefix(bytes: 200) }))
        }
        return target
    }

    // MARK: Requests

    private func answer(
        from address: NewsAddress, _ validators: FeedValidators, besides sites: ForbiddenSites,
        until deadline: ContinuousClock.Instant
    ) async throws(FetchFailure) -> WebAnswer {
        do {
            return try await queue.run { [self] in
                // An open connection is not judged again.
                if judgedBy != sites { session = nil }
                judgedBy = sites
                forbidden.set(sites)
                return try answerOnQueue(from: address, validators, until: deadline)
            }
        } catch let error as ConnectionError {
            let isTooLarge = await queue.run { [self] in session?.wasTooLarge ?? false }
            if let refused = judge.takeRefusal() {
                let isForbidden = reach.isAllowed(refused)
                throw FetchFailure(isForbidden ? NewsError(.forbidden, address.host) : NewsError(.privateAddress))
            }
            throw FetchFailure(Self.newsError(error, isTooLarge: isTooLarge))
        } catch {
            throw FetchFailure(NewsError(.address, "\(error)"))
        }
    }

    private func answerOnQueue(
        from address: NewsAddress, _ validators: FeedValidators, until deadline: ContinuousClock.Instant
    ) throws -> WebAnswer {
        let session = try session ?? makeSession()
        self.session = session
        _ = judge.takeRefusal()
        var fields = [(name: "Accept", value: Self.accepted)]
        if let etag = validators.etag { fields.append((name: "If-None-Match", value: etag)) }
        if let time = validators.lastModified { fields.append((name: "If-Modified-Since", value: time)) }
        let request = WebRequest("GET", try WebAddress(publicURL: address.text), fields: fields)
        return try session.answer(to: request, within: max(deadline - .now, .milliseconds(1)))
    }

    private func makeSession() throws -> WebSession {
        var limits = WebLimits(maxBodyBytes: Self.maxBodyBytes)
        limits.connect = Self.connectLimit
        limits.request = reach.limit
        return try WebSession(
            publicWeb: limits, guardedBy: judge, caFile: reach.caFile, substitutes: reach.substitutes,
            cancellation: cancellation)
    }

    private static func newsError(_ error: ConnectionError, isTooLarge: Bool) -> NewsError {
        if isTooLarge { return NewsError(.tooLarge, "more than \(maxBodyBytes >> 20) MB") }
        let detail = error.detail.isEmpty ? nil : error.detail.label.prefix(bytes: 300)
        return switch error.code {
        case .timedOut: NewsError(.tooSlow, detail)
        case .certificate, .tlsRequired: NewsError(.certificate, detail)
        case .badConfiguration: NewsError(.address, detail)
        default: NewsError(.unreachable, detail)
        }
    }

    // MARK: Answers

    private func document(
        _ answer: WebAnswer, from address: NewsAddress, movedTo: NewsAddress?, _ now: Timestamp
    ) throws(FetchFailure) -> FetchedDocument {
        let (asked, status) = (answer.retryAfter(at: now), "status \(answer.status)")
        func failure(_ problem: NewsProblem) -> FetchFailure { FetchFailure(NewsError(problem, status), asked) }
        switch answer.status {
        case 200...299:
            let document = FeedDocument(
                bytes: answer.body, address: address.text,
                contentType: answer.fields["content-type"].map { $0.label.prefix(bytes: 200) })
            return FetchedDocument(
                content: .document(document), validators: Self.validators(of: answer), maxAge: answer.maxAge,
                movedTo: movedTo)
        case 304:
            return FetchedDocument(
                content: .unchanged, validators: FeedValidators(), maxAge: answer.maxAge, movedTo: movedTo)
        case 401, 402, 403, 407, 451: throw failure(.refused)
        case 404: throw failure(.notFound)
        case 410: throw failure(.gone)
        case 429, 503: throw failure(.busy)
        default: throw failure(.server)
        }
    }

    /// Both of one answer; what no request may hold is left out.
    private static func validators(of answer: WebAnswer) -> FeedValidators {
        func kept(_ name: String) -> String? {
            guard let text = answer.fields[name], (1...maxValidatorBytes).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0 >= .space && $0 < .delete })
            else { return nil }
            return text
        }
        return FeedValidators(etag: kept("etag"), lastModified: kept("last-modified"))
    }

    private static let maxValidatorBytes = 1000
}

/// A document as it came.
struct FetchedDocument: Sendable {
    enum Content: Sendable {
        case document(FeedDocument)
        /// The server says that it has not changed (304).
        case unchanged
    }

    var content: Content
    var validators: FeedValidators
    /// Time for which the server says that the answer is good.
    var maxAge: Duration?
    /// The address at which it stands for good.
    var movedTo: NewsAddress?
}

/// A fetch that failed.
struct FetchFailure: Error {
    var error: NewsError
    /// The time for which the server asks to be left alone.
    var retryAfter: Duration?

    init(_ error: NewsError, _ retryAfter: Duration? = nil) { (self.error, self.retryAfter) = (error, retryAfter) }
}
