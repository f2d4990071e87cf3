/// What is left when everything was said: to remove what is marked deleted, and to look whether it is gone.
extension IMAPAcknowledging {
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
            guard !still.isEmpty else { return }
            let detail = "it says that \(still.count) messages are gone, and they are not"
            noteRefusal(FetchError(.commandRefused, during: "to remove what was filed (UID EXPUNGE)", detail))
        } catch {
            // A server that does not search is believed.
            if !error.isRefusal { throw error }
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
    /// RFC 6851, RFC 9051 §6.4.8.
    var canMove: Bool { has("MOVE") || has("IMAP4REV2") }

    /// RFC 4315, RFC 9051 §6.4.9.
    var canExpungeByUID: Bool { has("UIDPLUS") || has("IMAP4REV2") }
}
