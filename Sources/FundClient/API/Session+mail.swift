internal import Foundation
internal import HTTPTypes

/// Which emails a list shows.
public struct EmailFilter: Sendable, Hashable {
    /// Limits the list to a fund.
    public var fund: FundID?
    /// A part of the sender's address.
    public var sender: String?
    /// Words that must all occur; then the best hits come first.
    public var words: String?
    /// Limits the list to favourites.
    public var isFavourite: Bool

    /// Creates a filter; a nil part matches every email.
    public init(fund: FundID? = nil, sender: String? = nil, words: String? = nil, isFavourite: Bool = false) {
        self.fund = fund
        self.sender = sender
        self.words = words
        self.isFavourite = isFavourite
    }
}

extension Session {
    private struct EmailList: Decodable {
        var emails: [EmailSummary]
        var next: String?
    }

    /// A page of filed emails, the latest first.
    /// - Parameter limit: 1 to `maxPageSize`.
    public func emails(
        _ filter: EmailFilter = EmailFilter(), after cursor: PageCursor? = nil, limit: Int = 100
    ) async throws(ClientError) -> Page<EmailSummary> {
        let list = try await value(
            EmailList.self,
            .get(
                "/api/v1/emails",
                [
                    ("fund", filter.fund.map { "\($0)" }), ("sender", filter.sender), ("q", filter.words),
                    ("favourites", filter.isFavourite ? "true" : nil), ("limit", "\(limit)"),
                    ("cursor", cursor?.text),
                ]))
        return Page(list.emails, next: list.next.map(PageCursor.init))
    }

    /// One email with its words and its attachments.
    public func email(_ id: EmailID) async throws(ClientError) -> Email {
        try await value(.get("/api/v1/emails/\(id)"))
    }

    /// The words of an email as plain text: its text, or those of its HTML where it has none, with those that its style
    /// hides; empty where it has neither.
    public func words(of id: EmailID) async throws(ClientError) -> String {
        String(decoding: try await bytes(.get("/api/v1/emails/\(id)/text")), as: UTF8.self)
    }

    /// Puts it into the trash.
    public func delete(_ email: EmailID) async throws(ClientError) {
        try await deleted(Call(.delete, "/api/v1/emails/\(email)", isRepeatable: true))
    }

    /// From the trash to where it was.
    public func restore(_ email: EmailID) async throws(ClientError) -> EmailSummary {
        try await value(Call(.post, "/api/v1/emails/\(email)/restore"))
    }
}
