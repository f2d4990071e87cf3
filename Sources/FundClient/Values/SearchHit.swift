public import Foundation

/// Something in which all words of a search occur.
public struct SearchHit: Sendable, Hashable, Decodable {
    /// Kinds of things.
    public enum Kind: String, Sendable, Hashable, Codable { case fund, folder, file, email, note }

    /// A piece of the words around the first match.
    public struct ExcerptPiece: Sendable, Hashable, Codable {
        /// Plain text on one line.
        public var text: String
        /// A match of the searched words.
        public var isMatch: Bool
    }

    /// Kind of the thing.
    public var kind: Kind
    /// Id of the thing among those of its kind.
    public var id: Int64
    /// Fund in which it lies.
    public var fund: FundID
    /// Name of that fund.
    public var fundName: String
    /// A name, a subject or a title.
    public var title: String
    /// Time of the last change, or of arrival.
    public var date: Date
    /// Piece after piece, without spaces to be put between.
    public var excerpt: [ExcerptPiece]
    /// Page of the excerpt in a file; nil where the file has no pages.
    public var page: Int?
    /// Preview of a file; nil where the server makes none.
    public var preview: Preview?

    private enum CodingKeys: String, CodingKey {
        case id, fund, fundName, title, date, excerpt, page, preview
        case kind = "type"
    }
}

/// Where a search looks.
public struct SearchFilter: Sendable, Hashable {
    /// Limits the search to a fund.
    public var fund: FundID?
    /// Only things of this kind; a fund is none.
    public var kind: SearchHit.Kind?
    /// A part of a sender's address: mail from there, and files that came with it.
    public var sender: String?
    /// Dated then or later.
    public var since: Date?
    /// Dated before that.
    public var until: Date?

    /// Creates a filter; a nil part matches everything.
    public init(
        fund: FundID? = nil, kind: SearchHit.Kind? = nil, sender: String? = nil, since: Date? = nil, until: Date? = nil
    ) {
        self.fund = fund
        self.kind = kind
        self.sender = sender
        self.since = since
        self.until = until
    }
}
