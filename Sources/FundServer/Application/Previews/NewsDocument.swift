internal import FundCore

/// The HTML of which the PDF of an item of news is made.
struct NewsDocument {
    private let article: NewsArticle
    private let body: SanitizedMail?

    /// - Parameter body: nil where the HTML cannot be shown: its words take its place.
    init(_ article: NewsArticle, _ body: SanitizedMail?) { (self.article, self.body) = (article, body) }

    private static let beginning = """
        <!doctype html>
        <html><head><meta charset="utf-8"><style>body,h1{font-family:"Noto Sans","Noto Sans CJK SC",sans-serif}</style>\
        </head><body>

        """

    /// In UTF-8. Not for the cooperative threads: it may read a long HTML.
    var html: [UInt8] {
        let title = article.item.title.isEmpty ? article.item.feedTitle : article.item.title
        var bytes = Array(Self.beginning.utf8)
        bytes += Array("<h1>".utf8) + title.escapedMarkup + Array("</h1>\n".utf8)
        bytes += paragraphs(article.headLines)
        if let body {
            for piece in body.pieces { bytes += Self.bytes(of: piece) }
        } else {
            bytes += paragraphs(VisibleText.of(html: article.html).split(separator: "\n").map(String.init))
        }
        bytes += paragraphs(article.enclosures.map(\.address))
        return bytes + Array("</body></html>\n".utf8)
    }

    private func paragraphs(_ lines: [String]) -> [UInt8] {
        lines.flatMap { Array("<p>".utf8) + $0.escapedMarkup + Array("</p>\n".utf8) }
    }

    private static func bytes(of piece: SanitizedMail.Piece) -> [UInt8] {
        switch piece {
        case .markup(let text): Array(text.utf8)
        // A link that looks like one to another place leads nowhere: nothing warns before it in a PDF.
        case .link: Array("#".utf8)
        // Behind `data:`.
        case .picture: Array(",".utf8)
        }
    }
}
