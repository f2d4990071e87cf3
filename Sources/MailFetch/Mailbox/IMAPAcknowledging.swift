/// Tells an IMAP server what was filed: as few commands as possible, many at a time, and again after a dropped line.
struct IMAPAcknowledging {
    typealias After = MailboxAccess.After

    enum Step: Equatable {
        case flag
        /// STORE \Deleted; UID EXPUNGE follows when it is done, where the server can.
        case markDeleted
        case expunge
        case move
        /// COPY for servers without MOVE: only its OK allows the deletion.
        case copy
        case create
    }

    /// Messages of which the same is to become.
    struct Chunk {
        var uids: [UID]
        var after: After
        /// The folder was just made for it.
        var isSecondTry = false
    }

    private var waiting: [Chunk] = []
    private var underWay: [IMAPSession.Tag: (step: Step, chunk: Chunk)] = [:]
    private var created: Set<String> = []
    /// Marked deleted, but nobody may expunge them by UID.
    private(set) var marked: Set<UID> = []
    /// The server says that these are gone.
    private(set) var expunged: Set<UID> = []
    /// The first refusal; the messages stay on the server and are recognised when they come again.
    private(set) var refusal: FetchError?

    /// Nothing waits for an answer.
    var isDone: Bool { waiting.isEmpty && underWay.isEmpty }
    /// Nor is anything left to be removed or looked at.
    var isSaid: Bool { isDone && marked.isEmpty && expunged.isEmpty }

    mutating func add(_ uids: [UID], _ after: After) {
        guard after != .keep, !uids.isEmpty else { return }
        waiting.append(Chunk(uids: uids, after: after))
    }

    /// The line dropped: what was not confirmed is said again, which changes nothing where it was done.
    mutating func lineDropped() {
        waiting = underWay.values.lazy.filter { $0.step != .create }.map(\.chunk) + waiting
        // Whether a folder was made is not known.
        for index in waiting.indices { waiting[index].isSecondTry = false }
        (underWay, marked, created) = ([:], [], [])
    }

    /// The numbers mean other messages now.
    mutating func forget() {
        (waiting, underWay, marked, expunged) = ([], [:], [], [])
    }

    /// At the end of a run, with what the server refused.
    mutating func takeRefusal() -> FetchError? {
        created = []
        return refusal.take()
    }

    // MARK: Commands

    mutating func submit(to session: IMAPSession) {
        guard !waiting.isEmpty else { return }
        let chunks = waiting
        waiting = []
        // Pieces of several batches make fewer commands. Each kind in the order in which it came first.
        var kinds: [(after: After, isSecondTry: Bool)] = []
        for chunk in chunks where !kinds.contains(where: { $0 == (chunk.after, chunk.isSecondTry) }) {
            kinds.append((chunk.after, chunk.isSecondTry))
        }
        for kind in kinds {
            let uids = Set(chunks.lazy.filter { ($0.after, $0.isSecondTry) == kind }.flatMap(\.uids)).sorted()
            for set in UIDSet.texts(uids) {
                send(set.text, Chunk(uids: set.uids, after: kind.after, isSecondTry: kind.isSecondTry), to: session)
            }
        }
    }

    private mutating func send(_ set: String, _ chunk: Chunk, to session: IMAPSession) {
        switch chunk.after {
        case .keep: break
        case .flag(let flag):
            underWay[session.submit("UID STORE \(set) +FLAGS.SILENT (\(flag))")] = (.flag, chunk)
        case .delete: sendDeletion(set, chunk, to: session)
        case .move(let folder):
            let isMove = session.has("MOVE")
            let name = IMAPMailboxName.quoted(folder)
            underWay[session.submit("UID \(isMove ? "MOVE" : "COPY") \(set) \(name)")] = (isMove ? .move : .copy, chunk)
        }
    }

    private mutating func sendDeletion(_ set: String, _ chunk: Chunk, to session: IMAPSession) {
        underWay[session.submit("UID STORE \(set) +FLAGS.SILENT (\\Deleted)")] = (.markDeleted, chunk)
    }

    /// Only when the marks are set: RFC 3501 §5.5 has a server wait for them, but Dovecot 2.3 does not, and says OK.
    private mutating func sendExpunge(_ chunk: Chunk, to session: IMAPSession) {
        for set in UIDSet.texts(chunk.uids) {
            let chunk = Chunk(uids: set.uids, after: chunk.after)
            underWay[session.submit("UID EXPUNGE \(set.text)")] = (.expunge, chunk)
        }
    }

    /// True when the tag was one of ours.
    mutating func complete(_ tag: IMAPSession.Tag, _ status: IMAPStatus, on session: IMAPSession) -> Bool {
        guard let (step, chunk) = underWay.removeValue(forKey: tag) else { return false }
        guard status.kind == .ok else {
            refuse(step, chunk, status, on: session)
            return true
        }
        switch step {
        case .copy:
            // Copied: what is left is the deletion, even when the line drops now.
            for set in UIDSet.texts(chunk.uids) {
                sendDeletion(set.text, Chunk(uids: set.uids, after: .delete), to: session)
            }
        case .markDeleted:
            if session.canExpungeByUID { sendExpunge(chunk, to: session) } else { marked.formUnion(chunk.uids) }
        case .expunge: expunged.formUnion(chunk.uids)
        case .flag, .move, .create: break
        }
        return true
    }

    private mutating func refuse(_ step: Step, _ chunk: Chunk, _ status: IMAPStatus, on session: IMAPSession) {
        if step == .create { return }  // it exists, or the next try tells
        if step == .move || step == .copy, !chunk.isSecondTry, case .move(let folder) = chunk.after {
            // RFC 3501 §6.4.7: [TRYCREATE]; not every server says it.
            if created.insert(folder).inserted {
                let create = Chunk(uids: [], after: chunk.after)
                underWay[session.submit("CREATE \(IMAPMailboxName.quoted(folder))")] = (.create, create)
            }
            waiting.append(Chunk(uids: chunk.uids, after: chunk.after, isSecondTry: true))
            return
        }
        let hint = ServerHint(said: status.line)
        if refusal == nil {
            refusal = FetchError(
                hint?.code ?? .commandRefused, during: "telling the server what was filed", status.line,
                retryAfter: hint?.retryAfter)
        }
    }

    // MARK: What is left of it

    /// EXPUNGE removes every message that is marked, whoever did it: only when all of them are ours (RFC 3501 §6.4.3).
    /// Returns how many must stay marked. For servers without UIDPLUS.
    /// `onExpunge` is called for each message that is gone, ours or not.
    mutating func expungeMarked(on session: IMAPSession, _ onExpunge: () -> Void) throws(FetchError) -> Int {
        guard !marked.isEmpty else { return 0 }
        let hasOthers = try findDeleted(marked, on: session, onExpunge).hasOthers
        let count = marked.count
        marked = []
        if hasOthers { return count }
        try session.run("EXPUNGE") { event throws(FetchError) in if case .expunge = event { onExpunge() } }
        return 0
    }

    /// A server that says OK and leaves them there is told once more; nothing of ours stays unnoticed.
    mutating func checkExpunged(on session: IMAPSession, _ onExpunge: () -> Void) throws(FetchError) {
        let ours = expunged
        guard !ours.isEmpty else { return }
        expunged = []
        do throws(FetchError) {
            let left = try findDeleted(ours, on: session, onExpunge).ours
            guard !left.isEmpty else { return }
            for set in UIDSet.texts(left.sorted()) {
                try session.run("UID EXPUNGE \(set.text)") { event throws(FetchError) in
                    if case .expunge = event { onExpunge() }
                }
            }
            let still = try findDeleted(left, on: session, onExpunge).ours
            guard !still.isEmpty, refusal == nil else { return }
            let detail = "it says that \(still.count) messages are gone, and they are not"
            refusal = FetchError(.commandRefused, during: "UID EXPUNGE", detail)
        } catch {
            // A server that does not search is believed.
            if error.code != .commandRefused { throw error }
        }
    }

    /// Which of these are marked, and whether anything else is.
    private func findDeleted(
        _ wanted: Set<UID>, on session: IMAPSession, _ onExpunge: () -> Void
    ) throws(FetchError) -> (ours: Set<UID>, hasOthers: Bool) {
        var found: (ours: Set<UID>, hasOthers: Bool) = ([], false)
        try session.run("UID SEARCH DELETED") { event throws(FetchError) in
            switch event {
            case .search(let uids):
                for uid in uids {
                    if wanted.contains(uid) { found.ours.insert(uid) } else { found.hasOthers = true }
                }
            case .expunge: onExpunge()
            default: break
            }
        }
        return found
    }
}

extension IMAPSession {
    /// RFC 4315, RFC 9051 §6.4.9.
    var canExpungeByUID: Bool { has("UIDPLUS") || has("IMAP4REV2") }
}
