internal import FundHTTP
internal import Crypto
internal import FundCore

/// Results of the sanitizer for mails that are looked at: the page asks for its counts, and right behind it the frame
/// for the document. A failure is kept as well: a mail that breaks the sanitizer holds one of its few places for
/// seconds. One mail of a user is sanitized at a time: the hostile mails of one never keep the others waiting.
actor SanitizedMails {
    /// From the page to its frame, and once more when it is opened again. Not for good: a sanitizer that had no time
    /// because of others may have it later.
    static let lifetime = Duration.seconds(300)
    /// Limit of all results together.
    private static let maxBytes = 16 << 20
    private static let maxResults = 200
    /// Mails of one user that wait for the lock; more are refused.
    static let maxWaiting = 16
    /// Memory of a piece, besides its text.
    private static let pieceBytes = 64

    /// The mail that is looked at.
    enum Source: Hashable {
        case email(EmailSummary.ID)
        case kept(MisrouteRecord.ID)
        case news(NewsItem.ID)
    }

    private struct Key: Hashable {
        var source: Source
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
    private let locks = KeyedMutex<User.ID>()
    /// Permits for mails that are sanitized or wait for it.
    private let permits = UserPermits(most: maxWaiting + 1)

    init(sanitizer: any MailSanitizer) { self.sanitizer = sanitizer }

    /// The answer of the sanitizer; a request that comes while it is at work waits for the same answer. Throws 503 when
    /// too many mails of the user wait.
    func sanitized(
        _ mail: HTMLMail, of source: Source, for user: User.ID, at now: ContinuousClock.Instant = .now
    ) async throws -> SanitizedMail? {
        let key = Key(source: source, digest: Self.digest(of: mail), showsRemotePictures: mail.showsRemotePictures)
        results.removeAll { $0.expiry <= now }
        if let result = results.first(where: { $0.key == key }) { return result.mail }
        if let task = running[key] { return try await task.value }
        guard let permit = permits.permit(for: user) else { throw RequestError.busy }
        let task = Task { [sanitizer, locks] in
            try await locks.withLock(for: user) { try await sanitizer.sanitize(mail) }
        }
        running[key] = task
        defer { withExtendedLifetime(permit) { running[key] = nil } }
        let made = try await task.value
        keep(Kept(key: key, mail: made, bytes: made.map(Self.bytes) ?? 0, expiry: now + Self.lifetime))
        return made
    }

    /// Mails of the user that wait for another one of theirs.
    func waitingCount(of user: User.ID) -> Int { max(permits.count(of: user) - 1, 0) }

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
