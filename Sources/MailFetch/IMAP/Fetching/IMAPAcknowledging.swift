internal import MailConnection

/// Tells an IMAP server what was filed: with few commands, several at a time, and again after a lost connection.
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
        case subscribe
        case namespace
    }

    /// Messages that get the same treatment.
    struct Chunk {
        var uids: [UID]
        var after: After
        /// The folder was just made for it.
        var isSecondTry = false
        /// It was asked for before, and it is not known whether the server did it.
        var isRepeated = false

        var isMove: Bool { if case .move = after { true } else { false } }
    }

    /// While so many commands have no answer, nothing more is said: a slow server gets few, each for many messages.
    private static let manyUnderWay = 4

    private var waiting: [Chunk] = []
    private var underWay: [IMAPTag: (step: Step, chunk: Chunk)] = [:]
    /// COPY would make a second copy of these where it was done before: by folder, as the configuration names it.
    private var uncertain: [String: [UID]] = [:]
    private var created: Set<String> = []
    /// Why folders were not made, by their names in the configuration.
    private var createRefusals: [String: IMAPStatus] = [:]
    /// Namespace of the server's folders; nil until it was asked.
    private var namespace: IMAPNamespace?
    private var gatheredNamespace: IMAPNamespace?
    /// Marked deleted, on a server that cannot expunge by UID.
    var marked: Set<UID> = []
    /// By an OK to UID EXPUNGE, which is to be checked.
    var saidToBeGone: Set<UID> = []
    /// The first refusal; the messages stay on the server and are known by their UIDs when they are listed again.
    private(set) var refusal: ConnectionError?

    /// Nothing waits for an answer.
    var isDone: Bool { waiting.isEmpty && underWay.isEmpty }
    /// Nothing is left to be removed or checked either.
    var isSaid: Bool { isDone && uncertain.isEmpty && marked.isEmpty && saidToBeGone.isEmpty }

    /// - Parameter isRepeated: an earlier run may have told the server, and the server may have done it.
    mutating func add(_ uids: [UID], _ after: After, isRepeated: Bool = false) {
        guard after != .keep, !uids.isEmpty else { return }
        waiting.append(Chunk(uids: uids, after: after, isRepeated: isRepeated))
    }

    /// After a lost connection commands without an answer are repeated: of those done already only COPY does harm.
    mutating func connectionLost() {
        let again = underWay.values.compactMap { step, chunk -> Chunk? in
            var chunk = chunk
            chunk.isRepeated = chunk.isRepeated || step == .copy
            return chunk.uids.isEmpty ? nil : chunk
        }
        waiting = again + waiting
        // Whether a folder was made is not known.
        for index in waiting.indices { waiting[index].isSecondTry = false }
        (underWay, created, createRefusals) = ([:], [], [:])
    }

    /// UIDVALIDITY changed: the UIDs mean other messages now.
    mutating func forget() {
        (waiting, underWay, uncertain, marked, saidToBeGone) = ([], [:], [:], [], [])
    }

    /// At the end of a run, with what the server refused.
    mutating func takeRefusal() -> ConnectionError? {
        (created, createRefusals) = ([], [:])
        return refusal.take()
    }

    // MARK: Folders

    /// The server's name of a folder that the configuration names.
    func serverName(of folder: String) -> String { (namespace ?? IMAPNamespace()).name(of: folder) }

    /// Notes the answer to a `NAMESPACE` command.
    mutating func note(_ found: IMAPNamespace?) { gatheredNamespace = found }

    /// Messages that may have been copied, which must be known before COPY is repeated: by the configured folder.
    mutating func takeUncertain() -> [String: [UID]] {
        defer { uncertain = [:] }
        return uncertain
    }

    /// These are in their folder: only the deletion is left.
    mutating func noteCopied(_ uids: [UID]) { add(uids, .delete) }

    // MARK: Commands

    /// Nothing as long as too many earlier commands have no answer: what is filed meanwhile then goes in few commands.
    mutating func submit(to session: IMAPSession) {
        askForNamespace(session)
        guard !waiting.isEmpty, canSubmit else { return }
        var chunks: [Chunk] = []
        let all = waiting
        waiting = []
        for chunk in all {
            if chunk.isRepeated, !session.canMove, case .move(let folder) = chunk.after {
                uncertain[folder, default: []] += chunk.uids
            } else {
                chunks.append(chunk)
            }
        }
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

    /// Answers wait behind the messages that were asked for: of marks and deletions several may be under way, so that
    /// not all of them are left for the end. What a move needs may depend on the answer before.
    private var canSubmit: Bool {
        underWay.isEmpty
            || underWay.count < Self.manyUnderWay
                && underWay.values.allSatisfy { [.flag, .markDeleted, .expunge].contains($0.step) }
                && !waiting.contains(where: \.isMove)
    }

    /// Once, when something is to be moved.
    private mutating func askForNamespace(_ session: IMAPSession) {
        guard namespace == nil, waiting.contains(where: \.isMove),
            !underWay.values.contains(where: { $0.step == .namespace })
        else { return }
        guard session.knowsNamespaces else { return namespace = IMAPNamespace() }
        gatheredNamespace = nil
        underWay[session.submit("NAMESPACE")] = (.namespace, Chunk(uids: [], after: .keep))
    }

    private mutating func send(_ set: String, _ chunk: Chunk, to session: IMAPSession) {
        switch chunk.after {
        case .keep: break
        case .flag(let flag):
            underWay[session.submit("UID STORE \(set) +FLAGS.SILENT (\(flag))")] = (.flag, chunk)
        case .delete: sendDeletion(set, chunk, to: session)
        case .move(let folder):
            let name = IMAPMailboxName.quoted(serverName(of: folder))
            let (verb, step): (String, Step) = session.canMove ? ("MOVE", .move) : ("COPY", .copy)
            underWay[session.submit("UID \(verb) \(set) \(name)")] = (step, chunk)
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

    /// True when the tag belonged to a command of `submit`.
    mutating func complete(_ tag: IMAPTag, _ status: IMAPStatus, on session: IMAPSession) -> Bool {
        guard let (step, chunk) = underWay.removeValue(forKey: tag) else { return false }
        if step == .namespace {
            namespace = status.kind == .ok ? gatheredNamespace ?? IMAPNamespace() : IMAPNamespace()
            return true
        }
        guard status.kind == .ok else {
            refuse(step, chunk, status, on: session)
            return true
        }
        switch step {
        case .copy:
            // Only the deletion is left, even when the connection is lost now.
            for set in UIDSet.texts(chunk.uids) {
                sendDeletion(set.text, Chunk(uids: set.uids, after: .delete), to: session)
            }
        case .create: if case .move(let folder) = chunk.after { subscribe(folder, on: session) }
        case .markDeleted:
            if session.canExpungeByUID { sendExpunge(chunk, to: session) } else { marked.formUnion(chunk.uids) }
        case .expunge: saidToBeGone.formUnion(chunk.uids)
        case .flag, .move, .subscribe, .namespace: break
        }
        return true
    }

    /// Many mail programs show only what is subscribed to (RFC 3501 §6.3.6).
    private mutating func subscribe(_ folder: String, on session: IMAPSession) {
        let name = IMAPMailboxName.quoted(serverName(of: folder))
        underWay[session.submit("SUBSCRIBE \(name)")] = (.subscribe, Chunk(uids: [], after: .keep))
    }

    // MARK: Refusals

    private mutating func refuse(_ step: Step, _ chunk: Chunk, _ status: IMAPStatus, on session: IMAPSession) {
        var (step, status) = (step, status)
        switch (step, chunk.after) {
        case (.subscribe, _), (.namespace, _): return
        case (.create, .move(let folder)):
            // Where the second try is refused, too, this was the reason.
            if status.code != "ALREADYEXISTS" { createRefusals[folder] = status }
            return
        case (.move, .move(let folder)) where !chunk.isSecondTry && Self.isFolderMissing(status),
            (.copy, .move(let folder)) where !chunk.isSecondTry && Self.isFolderMissing(status):
            if created.insert(folder).inserted {
                let create = Chunk(uids: [], after: chunk.after)
                let name = IMAPMailboxName.quoted(serverName(of: folder))
                underWay[session.submit("CREATE \(name)")] = (.create, create)
            }
            waiting.append(Chunk(uids: chunk.uids, after: chunk.after, isSecondTry: true))
            return
        case (.move, .move(let folder)), (.copy, .move(let folder)):
            guard let reason = createRefusals[folder], Self.isFolderMissing(status) else { break }
            if status.code.isEmpty {
                // It may exist, and both refusals have a reason of their own.
                status.text += "; nor can it be made: \(reason.line)"
            } else {
                (step, status) = (.create, reason)
            }
        default: break
        }
        noteRefusal(ConnectionError(refusal: status.line, during: operation(step, chunk.after)))
    }

    /// RFC 3501 §6.4.7 and RFC 5530 §3 have codes for it; not every server says one. Another code is another reason.
    private static func isFolderMissing(_ status: IMAPStatus) -> Bool {
        ["", "TRYCREATE", "NONEXISTENT"].contains(status.code)
    }

    /// For people.
    private func operation(_ step: Step, _ after: After) -> String {
        let folder = if case .move(let folder) = after { serverName(of: folder) } else { "" }
        return switch step {
        case .flag: "to flag what was filed"
        case .markDeleted: "to mark what was filed as deleted"
        case .expunge: "to remove what was filed (UID EXPUNGE)"
        case .move, .copy: "to move what was filed to \(folder)"
        case .create: "to make the folder \(folder)"
        case .subscribe, .namespace: "what was asked"
        }
    }

    /// Keeps the first.
    mutating func noteRefusal(_ error: ConnectionError) {
        guard refusal == nil else { return }
        refusal = error
        refusal?.isOfServerCopies = true
    }
}
