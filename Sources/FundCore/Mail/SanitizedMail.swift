/// The harmless form of an HTML mail.
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

    /// The content of `<body>`, style sheets included.
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
