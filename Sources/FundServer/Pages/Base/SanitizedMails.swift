internal import Crypto
internal import FundCore

/// What the sanitizer made of mails that are looked at: the page asks for its counts, and right behind it the frame for
/// the document. What broke the sanitizer is kept as well: it holds one of its few places for seconds.
actor SanitizedMails {
    /// From the page to its frame, and once more when it is opened again. Not for good: a sanitizer that had no time
    /// because of others may have it later.
    static let lifetime = Duration.seconds(300)
    /// Of all results together.
    private static let maxBytes = 16 << 20
    private static let maxResults = 200
    /// Of a piece, besides its text.
    private static let pieceBytes = 64

    private struct Key: Hashable {
        var email: EmailSummary.ID
        var digest: SHA256Digest
        var showsRemotePictures: Bool
    }

    private struct Kept {
        var key: Key
        /// Nil when the HTML broke the sanitizer.
        var mail: SanitizedMail?
        var bytes: Int
        var expiry: ContinuousClock.Instant
    }

    private let sanitizer: any MailSanitizer
    /// The oldest first.
    private var results: [Kept] = []
    private var running: [Key: Task<SanitizedMail?, any Error>] = [:]

    init(sanitizer: any MailSanitizer) { self.sanitizer = sanitizer }

    /// As the sanitizer answers; who asks while it is at work waits for the same answer.
    func sanitized(
        _ mail: HTMLMail, of email: EmailSummary.ID, at now: ContinuousClock.Instant = .now
    ) async throws -> SanitizedMail? {
        let key = Key(email: email, digest: Self.digest(of: mail), showsRemotePictures: mail.showsRemotePictures)
        results.removeAll { $0.expiry <= now }
        if let result = results.first(where: { $0.key == key }) { return result.mail }
        if let task = running[key] { return try await task.value }
        let task = Task { [sanitizer] in try await sanitizer.sanitize(mail) }
        running[key] = task
        defer { running[key] = nil }
        let made = try await task.value
        keep(Kept(key: key, mail: made, bytes: made.map(Self.bytes) ?? 0, expiry: now + Self.lifetime))
        return made
    }

    private func keep(_ result: Kept) {
        results.append(result)
        var bytes = results.reduce(0) { $0 + $1.bytes }
        while bytes > Self.maxBytes || results.count > Self.maxResults { bytes -= results.removeFirst().bytes }
    }

    /// The pictures belong to it: what is written depends on their names and sizes.
    private static func digest(of mail: HTMLMail) -> SHA256Digest {
        var hash = SHA256()
        func add(_ text: String) {
            withUnsafeBytes(of: text.utf8.count) { hash.update(bufferPointer: $0) }
            var text = text
            text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        }
        add(mail.html)
        for picture in mail.pictures {
            add(picture.contentID.map { "\($0)>" } ?? "")
            add(picture.name)
            add("\(picture.bytes)")
        }
        return hash.finalize()
    }

    private static func bytes(of mail: SanitizedMail) -> Int {
        mail.pieces.reduce(0) { count, piece in
            switch piece {
            case .markup(let text): count + pieceBytes + text.utf8.count
            case .picture: count + pieceBytes
            case .link(let link):
                count + pieceBytes + link.target.address.utf8.count + (link.shownHost?.utf8.count ?? 0)
            }
        }
    }
}
