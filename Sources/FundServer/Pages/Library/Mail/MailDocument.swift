internal import Hummingbird
internal import Foundation
internal import FundCore

/// The document of a mail's HTML, which is shown in a frame of its own.
struct MailDocument {
    /// More attachments than a mail shows.
    private static let maxPictures = 500

    private let html: String?
    private let source: SanitizedMails.Source
    private let showsRemotePictures: Bool
    /// Pictures that the HTML may show, by index.
    private let pictures: [AttachmentEntry]

    init(_ email: EmailEntry, showsRemotePictures: Bool) {
        (html, source) = (email.html, .email(email.summary.id))
        self.showsRemotePictures = showsRemotePictures
        pictures = Array(
            email.attachments.filter {
                $0.contentID != nil || ($0.contentType.hasPrefix("image/") && $0.contentType != "image/svg+xml")
            }.prefix(Self.maxPictures))
    }

    /// A message that waits: its pictures are not in the store, and are named.
    init(kept message: ParsedMessage, as id: MisrouteRecord.ID) {
        (html, source) = (message.html, .kept(id))
        (showsRemotePictures, pictures) = (false, [])
    }

    /// An item of news, which brings no pictures of its own.
    init(news article: NewsArticle, showsRemotePictures: Bool) {
        (html, source) = (article.html, .news(article.item.id))
        (self.showsRemotePictures, pictures) = (showsRemotePictures, [])
    }

    /// Nil when the HTML cannot be shown. Throws when it cannot be read at this moment.
    func sanitized(by mails: SanitizedMails?, for user: User.ID) async throws -> SanitizedMail? {
        guard let html, let mails else { return nil }
        let shown = pictures.map { HTMLMail.Picture(contentID: $0.contentID, name: $0.name, bytes: $0.size) }
        return try await mails.sanitized(
            HTMLMail(html: html, pictures: shown, showsRemotePictures: showsRemotePictures), of: source,
            for: user)
    }

    /// The document, put together of pieces that are complete: nothing is replaced in what the sanitizer wrote.
    func rendered(_ mail: SanitizedMail, _ call: PageCall) async throws -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeString(Self.beginning(isDark: mail.hasDarkColours))
        for piece in mail.pieces {
            switch piece {
            case .markup(let text): buffer.writeString(text)
            case .link(let link): buffer.writeBytes(LeavingPage.address(of: link, call).escapedMarkup)
            case .picture(let index): buffer.writeString(await data(of: pictures[index], call))
            }
        }
        buffer.writeString("</body></html>\n")
        return buffer
    }

    /// Bytes of the document at most, before anything of it is made.
    func size(of mail: SanitizedMail) -> Int {
        mail.pieces.reduce(Self.beginning(isDark: mail.hasDarkColours).utf8.count + Self.endBytes) { count, piece in
            switch piece {
            case .markup(let text): return count + text.utf8.count
            case .picture(let index):
                let bytes = pictures[index].size
                return count + Self.pictureHeadBytes + (bytes <= HTMLMail.maxPictureBytes ? Int(bytes + 2) / 3 * 4 : 0)
            case .link(let link):
                // Sealed as base64, or as it is with each byte escaped.
                let bytes = link.target.address.utf8.count + (link.shownHost?.utf8.count ?? 0)
                return count + Self.linkHeadBytes + Self.longestReference * bytes
            }
        }
    }

    /// Widths in pixels that a mail may have been laid out for: below them it fits everywhere, above them it is a trap.
    private static let widths = 400...2000

    /// Pixels that the widest part of a mail says to need; nil when none says it, or all fit everywhere. It is shown
    /// smaller where there is less room.
    static func width(of mail: SanitizedMail) -> Int? {
        var widest: Int?
        for case .markup(let text) in mail.pieces {
            for match in text.utf8.split(separator: UInt8(ascii: "w")) where match.starts(with: "idth".utf8) {
                // `width="600"`, `width:600px`; a percentage is no width.
                let rest = match.dropFirst("idth".utf8.count).drop { "=:\" ".utf8.contains($0) }
                let digits = rest.prefix { ASCII.isDigit($0) }
                let unit = rest.dropFirst(digits.count).first
                guard digits.count <= 4, unit != UInt8(ascii: "%"),
                    let pixels = Int(String(decoding: digits, as: UTF8.self)), widths.contains(pixels)
                else { continue }
                widest = max(widest ?? 0, pixels)
            }
        }
        return widest
    }

    private static let endBytes = 64
    /// Bytes of `image/jpeg;base64,`, for any type.
    private static let pictureHeadBytes = 32
    /// Bytes of a sealed link without what it seals.
    private static let linkHeadBytes = 128
    /// Bytes of `&quot;`.
    private static let longestReference = 6

    /// The document of the frame for a mail that cannot be shown.
    static func notice(_ text: String) -> ByteBuffer {
        var buffer = ByteBuffer(string: beginning(isDark: true) + "<p>")
        buffer.writeBytes(text.escapedMarkup)
        buffer.writeString("</p></body></html>\n")
        return buffer
    }

    /// Mail is written for light paper: it is dark only when it says that it can be.
    private static func beginning(isDark: Bool) -> String {
        """
        <!doctype html>
        <html><head><meta charset="utf-8"><style>\
        :root{color-scheme:\(isDark ? "light dark" : "light");background:Canvas;color:CanvasText}\
        body{margin:16px;font:16px/1.5 sans-serif;overflow-wrap:break-word}\
        img{max-width:100%}img:not([src]){outline:1px dashed #7f8a85;outline-offset:-1px}\
        </style></head><body>

        """
    }

    /// The text behind `data:`; empty for a file that is no picture, or that cannot be read now.
    private func data(of picture: AttachmentEntry, _ call: PageCall) async -> String {
        let reader = Downloads.Reader(call.parts.downloads, ServedContent(picture)) { true }
        var copy = reader
        guard picture.size <= HTMLMail.maxPictureBytes, let bytes = try? await copy.read(0..<picture.size),
            let type = PictureType(of: Array(bytes.readableBytesView.prefix(PictureType.signatureBytes)))
        else { return "," }
        return "\(type.rawValue);base64,\(Data(bytes.readableBytesView).base64EncodedString())"
    }
}
