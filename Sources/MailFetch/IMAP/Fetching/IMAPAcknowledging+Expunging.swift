/// The end of acknowledging: messages that are marked deleted are removed, and their removal is checked. What a lost
/// connection leaves undone is done over the next one.
extension IMAPAcknowledging {
    /// For servers without UIDPLUS. EXPUNGE removes what any client marked as deleted (RFC 3501 §6.4.3), so it is sent
    /// only when this one marked all of it. Returns how many stay marked. `onExpunge`: a message is gone.
    mutating func expungeMarked(on session: IMAPSession, _ onExpunge: () -> Void) throws(FetchError) -> Int {
        guard !marked.isEmpty else { return 0 }
        let hasOthers = try findDeleted(marked, on: session, onExpunge).hasOthers
        if !hasOthers {
            try session.run("EXPUNGE") { event throws(FetchError) in if case .expunge = event { onExpunge() } }
        }
        defer { marked = [] }
        return hasOthers ? marked.count : 0
    }

    /// A server that says OK and does not remove the messages is told once more; after that it counts as a refusal.
    mutating func checkExpunged(on session: IMAPSession, _ onExpunge: () -> Void) throws(FetchError) {
        guard !expunged.isEmpty else { return }
        do throws(FetchError) {
            let still = try expungeAgain(expunged, on: session, onExpunge)
            if still > 0 {
                let detail = "it says that \(still) messages are gone, and they are not"
                noteRefusal(FetchError(.commandRefused, during: "to remove what was filed (UID EXPUNGE)", detail))
            }
        } catch {
            // A server that refuses to search is believed.
            if !error.isRefusal { throw error }
        }
        expunged = []
    }

    /// Gives how many are there all the same.
    private func expungeAgain(
        _ uids: Set<UID>, on session: IMAPSession, _ onExpunge: () -> Void
    ) throws(FetchError) -> Int {
        let left = try findDeleted(uids, on: session, onExpunge).ours
        guard !left.isEmpty else { return 0 }
        for set in UIDSet.texts(left.sorted()) {
            try session.run("UID EXPUNGE \(set.text)") { event throws(FetchError) in
                if case .expunge = event { onExpunge() }
            }
        }
        return try findDeleted(left, on: session, onExpunge).ours.count
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
