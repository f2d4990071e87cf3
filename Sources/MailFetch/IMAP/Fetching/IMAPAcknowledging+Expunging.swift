internal import MailConnection

/// The end of acknowledging: messages that are marked deleted are removed, and their removal is checked. What a lost
/// connection leaves undone is done over the next one.
extension IMAPAcknowledging {
    /// For servers without UIDPLUS. EXPUNGE removes what any client marked as deleted (RFC 3501 §6.4.3), so it is sent
    /// only when the server says that this one marked all of it. Returns how many stay marked.
    ///
    /// - Parameter heed: takes what comes beside the answers.
    mutating func expungeMarked(
        on session: IMAPSession, _ heed: (IMAPResponse) throws(ConnectionError) -> Void
    ) throws(ConnectionError) -> Int {
        guard !marked.isEmpty else { return 0 }
        var left = 0
        do throws(ConnectionError) {
            let found = try findDeleted(marked, on: session, heed)
            if found?.hasOthers ?? true {
                left = found?.ours.count ?? marked.count
            } else if found?.ours.isEmpty == false {
                try session.run("EXPUNGE", heed)
            }
        } catch {
            guard error.isRefusal else { throw error }
            noteRefusal(error)
        }
        marked = []
        return left
    }

    /// A server that says OK and does not remove the messages is told once more; after that it counts as a refusal.
    mutating func checkExpunged(
        on session: IMAPSession, _ heed: (IMAPResponse) throws(ConnectionError) -> Void
    ) throws(ConnectionError) {
        guard !saidToBeGone.isEmpty else { return }
        let left = try stillMarked(saidToBeGone, on: session, heed)
        do throws(ConnectionError) {
            for set in UIDSet.texts(left.sorted()) { try session.run("UID EXPUNGE \(set.text)", heed) }
            let still = try stillMarked(left, on: session, heed)
            if !still.isEmpty {
                let detail = "it says that \(still.count) messages are gone, and they are not"
                noteRefusal(ConnectionError(.commandRefused, during: "to remove what was filed (UID EXPUNGE)", detail))
            }
        } catch {
            guard error.isRefusal else { throw error }
            noteRefusal(error)
        }
        saidToBeGone = []
    }

    /// Which of these are there, marked deleted. A server that refuses to search is believed.
    private func stillMarked(
        _ uids: Set<UID>, on session: IMAPSession, _ heed: (IMAPResponse) throws(ConnectionError) -> Void
    ) throws(ConnectionError) -> Set<UID> {
        guard !uids.isEmpty else { return [] }
        do throws(ConnectionError) { return try findDeleted(uids, on: session, heed)?.ours ?? [] } catch {
            guard error.isRefusal else { throw error }
            return []
        }
    }

    /// Which of these are marked deleted, and whether other messages are; nil when the server does not say.
    private func findDeleted(
        _ wanted: Set<UID>, on session: IMAPSession, _ heed: (IMAPResponse) throws(ConnectionError) -> Void
    ) throws(ConnectionError) -> (ours: Set<UID>, hasOthers: Bool)? {
        var found: (ours: Set<UID>, hasOthers: Bool)?
        try session.run("UID SEARCH DELETED") { event throws(ConnectionError) in
            guard case .search(let uids) = event else { return try heed(event) }
            let ours = wanted.intersection(uids)
            let hasOthers = uids.contains { !wanted.contains($0) }
            found = ((found?.ours ?? []).union(ours), (found?.hasOthers ?? false) || hasOthers)
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
