internal import FundHTTP
internal import FundCore
internal import HTTPTypes

/// Items of news as PDF, made by the converters of previews for those who wait.
final class NewsPDFs: Sendable {
    /// PDFs that are made at a time, and that wait; more are refused.
    private static let (makers, maxWaiting) = (1, 4)
    /// Bytes of a PDF.
    private static let maxBytes = 16 << 20

    private let source: any PreviewSource
    private let sanitizer: (any MailSanitizer)?
    private let longestWait: Duration
    private let slots = ResourcePool(Array(0..<makers), maxWaiting: maxWaiting)
    private let permits = UserPermits(most: 1)

    /// - Parameters:
    ///   - sanitizer: nil takes the text alone.
    ///   - longestWait: for a place and for the converters, which have other work; more than one conversion may take.
    init(source: any PreviewSource, sanitizer: (any MailSanitizer)?, longestWait: Duration = .seconds(75)) {
        (self.source, self.sanitizer, self.longestWait) = (source, sanitizer, longestWait)
    }

    /// Whether it is worth a try.
    var isPossible: Bool { source.makesDocuments }

    /// The PDF of an item: its title, where it is from, and its body without pictures.
    ///
    /// Throws 422 when there is none, and 503 when too many are asked for or the converters cannot be asked now.
    func pdf(of article: NewsArticle, for user: User.ID) async throws -> [UInt8] {
        guard let permit = permits.permit(for: user) else { throw RequestError.newsPDFsBusy }
        defer { withExtendedLifetime(permit) {} }
        do {
            let bytes = try await TimeLimited.run(atMost: longestWait, orThrow: RequestError.newsPDFsBusy) {
                try await self.make(article)
            }
            guard bytes.count <= Self.maxBytes else { throw RenditionFailure.tooLarge }
            return bytes
        } catch let failure as RenditionFailure {
            throw RequestError.noNewsPDF(failure.rawValue)
        } catch ResourcePoolError.full {
            throw RequestError.newsPDFsBusy
        } catch let error where !(error is RequestError || error is CancellationError) {
            var busy = RequestError.newsPDFsBusy
            busy.cause = "\(error)"
            throw busy
        }
    }

    private func make(_ article: NewsArticle) async throws -> [UInt8] {
        let slot = try await slots.acquire()
        defer { slots.release(slot) }
        var body: SanitizedMail?
        if !article.html.isEmpty, let sanitizer {
            body = try await sanitizer.sanitize(HTMLMail(html: article.html))
            // A part of it would look like all of it.
            if body?.isCut == true { throw RenditionFailure.tooLarge }
        }
        let document = try await BlockingThreads.run { [body] in NewsDocument(article, body).html }
        return try await source.document(ofHTML: document)
    }
}

extension RequestError {
    fileprivate static let newsPDFsBusy = unavailable(
        "busy", "the converter has too much to do at this moment; try again, or keep the item as a text file",
        retryAfter: 10)

    /// 422.
    /// - Parameter reason: the raw value of a `RenditionFailure`, or `off`.
    static func noNewsPDF(_ reason: String) -> RequestError {
        var error = RequestError(
            .unprocessableContent, "no-pdf", "no PDF of this item can be made here; keep it as a text file instead")
        (error.reason, error.problem) = (reason, "news-pdf")
        return error
    }
}
