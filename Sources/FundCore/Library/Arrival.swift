/// Something that came into a fund: an email with its files, or a file that its owner put there.
package struct Arrival: Sendable, Hashable {
    /// The thing that came.
    package enum Content: Sendable, Hashable {
        case email(EmailArrival)
        /// A file that did not come by mail.
        case upload(FileEntry)
    }

    package var content: Content
    package var fundName: String
    /// True for an email that the owner has not seen, see `FundLibrary.noteVisit`. Files that the owner put there are
    /// no news.
    package var isNew: Bool

    package init(_ content: Content, fundName: String, isNew: Bool) {
        (self.content, self.fundName, self.isNew) = (content, fundName, isNew)
    }

    package var fund: Fund.ID {
        switch content {
        case .email(let arrival): arrival.email.fund
        case .upload(let file): file.fund
        }
    }

    /// Nil for an upload.
    package var email: EmailArrival? { if case .email(let arrival) = content { arrival } else { nil } }

    /// The files that came with an email, `EmailArrival.maxFiles` at most, or the upload.
    package var files: [FileEntry] {
        switch content {
        case .email(let arrival): arrival.files
        case .upload(let file): [file]
        }
    }

    /// Time at which it came.
    package var at: Timestamp {
        switch content {
        case .email(let arrival): arrival.email.receivedAt
        case .upload(let file): file.createdAt
        }
    }
}

/// An email with the beginning of its text and the files that came with it.
package struct EmailArrival: Sendable, Hashable {
    /// Limit of the files that are named.
    package static let maxFiles = 12
    /// Bytes of the text that are looked at for its beginning.
    package static let maxExcerptBytes = 400

    package var email: EmailSummary
    /// The beginning of the text on one line; nil for an email without a text of its own.
    package var excerpt: String?
    /// The files of its attachments that are there, wherever they lie now, in the order of the attachments; `maxFiles`
    /// at most.
    package var files: [FileEntry]
    /// True when there are more files than these.
    package var hasMoreFiles: Bool

    package init(email: EmailSummary, excerpt: String?, files: [FileEntry], hasMoreFiles: Bool) {
        (self.email, self.excerpt, self.files, self.hasMoreFiles) = (email, excerpt, files, hasMoreFiles)
    }
}

/// The wanted part of the arrivals. All conditions must hold.
package struct ArrivalQuery: Sendable, Hashable {
    /// Kinds of arrivals.
    package enum Kind: String, Sendable, CaseIterable {
        case mail
        /// Files that did not come by mail.
        case uploads
    }

    /// Nil looks into all funds of the user.
    package var fund: Fund.ID?
    /// True for funds that are favourites alone.
    package var isOfFavourites = false
    /// Nil gives all kinds.
    package var kind: Kind?
    package var page: PageQuery

    package init(_ page: PageQuery = PageQuery()) { self.page = page }
}
