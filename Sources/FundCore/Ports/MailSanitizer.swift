/// Makes the HTML of a mail harmless, outside this process: what comes of it shows text and pictures of the mail, and
/// neither loads nor runs anything.
package protocol MailSanitizer: Sendable {
    /// Nil when the HTML broke the process that read it, by a crash or by its time: it can be shown as text only.
    /// Throws when no such process can be had.
    func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail?
}

/// What a sanitizer is given.
package struct HTMLMail: Sendable, Equatable {
    /// An attachment that the HTML may show.
    package struct Picture: Sendable, Equatable {
        /// Its Content-ID (RFC 2392), nil without one.
        package var contentID: String?
        /// Its file name, which relative addresses name, and which stands in its place when it is not shown.
        package var name: String
        /// Size of the file.
        package var bytes: Int64

        package init(contentID: String?, name: String, bytes: Int64) {
            self.contentID = contentID
            self.name = name
            self.bytes = bytes
        }
    }

    /// Bytes of pictures that are shown in one mail; those beyond it are named.
    package static let maxPictureBytes: Int64 = 3_000_000

    package var html: String
    package var pictures: [Picture]
    /// Leaves the addresses of pictures on other servers in, with `https`.
    package var showsRemotePictures: Bool

    package init(html: String, pictures: [Picture] = [], showsRemotePictures: Bool = false) {
        self.html = html
        self.pictures = pictures
        self.showsRemotePictures = showsRemotePictures
    }
}

/// What a sanitizer makes of it.
package struct SanitizedMail: Sendable, Equatable {
    /// A piece of the document. Its text is the pieces one behind the other, with what the caller puts in the place of
    /// pictures and links: both stand inside a quoted attribute.
    package enum Piece: Sendable, Equatable {
        case markup(String)
        /// The picture of this index.
        case picture(Int)
        /// A link that looks like one to another place; see `LinkTarget.warnings`.
        case link(DisguisedLink)
    }

    /// What stands between `<body>` and its end, style sheets included.
    package var pieces: [Piece]
    /// Pictures on other servers that are not shown.
    package var blockedPictures: Int
    /// The mail has colours for dark surroundings of its own (`color-scheme`, CSS Color Adjustment §2).
    package var hasDarkColours: Bool
    /// There was more of it than is shown.
    package var isCut: Bool

    package init(pieces: [Piece], blockedPictures: Int = 0, hasDarkColours: Bool = false, isCut: Bool = false) {
        self.pieces = pieces
        self.blockedPictures = blockedPictures
        self.hasDarkColours = hasDarkColours
        self.isCut = isCut
    }
}

/// A link whose target needs a look before it is opened.
package struct DisguisedLink: Sendable, Equatable {
    package var target: LinkTarget
    /// The host that its text names, when that is another one.
    package var shownHost: String?

    package init(target: LinkTarget, shownHost: String? = nil) {
        self.target = target
        self.shownHost = shownHost
    }
}
