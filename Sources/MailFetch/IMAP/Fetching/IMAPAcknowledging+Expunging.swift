/// The end of acknowledging: messages that are marked deleted are removed, and their removal is checked.
extension IMAPAcknowledging {
    /// For servers without UIDPLUS. EXPUNGE removes what any client marked as deleted (RFC 3501 §6.4.3), so it is sent
    /// only when this one marked all of it. Returns how many stay marked. `onExpunge`: a message is gone.
    mutating func expungeMarked(on session: IMAPSession, _ onExpunge: () -> Void) throws(FetchError) -> Int {
        guard !marked.isEmpty else { return 0 }
        let hasOthers = try findDeleted(marked, on: session, onExpunge).hasOthers
        let count = marked.count
        marked = []
        if hasOthers { return count }
        try session.run("EXPUNGE") { event throws(FetchError) in if case .expunge = event { onExpunge() } }
        return 0
    }

    /// A server that says OK and does not remove the messages is told once more; after that it counts as a refusal.
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
            // A server that refuses to search is believed.
            if !error.isRefusal { throw error }
        }
    }

    /// Which of these are marked deleted, and whether other messages are.
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
