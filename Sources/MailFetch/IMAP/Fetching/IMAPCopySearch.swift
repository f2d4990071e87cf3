internal import MailConnection
internal import FundCore

/// Finds which messages were copied into a folder already: a COPY whose answer was lost may have been done, and
/// repeating it would make a second copy. For servers without MOVE (RFC 6851). Changes nothing, on a connection of its
/// own.
struct IMAPCopySearch {
    /// COPY keeps every octet (RFC 3501 §6.4.7), so a copy has the size and the header of its original.
    private struct Look: Hashable {
        var size: UInt64
        var header: ContentDigest
    }

    let login: CurlLogin
    let access: MailboxAccess
    let epoch: UIDValidity

    /// Returns those of `uids` whose copies are in `folder`, by its name on the server; none where it does not exist.
    /// Throws when it cannot be known.
    func copied(_ uids: [UID], in folder: String) throws(ConnectionError) -> [UID] {
        let session = IMAPSession(channel: try login.open(), deadlines: access.deadlines, transcript: access.transcript)
        defer { session.logOut(waitsForAnswer: false) }
        let state = try session.select(access.address.mailbox, examining: true)
        guard state.epoch == epoch else {
            throw ConnectionError(.connectionLost, during: "looking for copies", "the mailbox was replaced")
        }
        let originals = try looks(at: uids, on: session)
        do throws(ConnectionError) {
            _ = try session.select(folder, examining: true)
        } catch {
            guard error.code == .mailboxUnavailable else { throw error }
            return []
        }
        let sizes = Set(originals.values.lazy.map(\.size))
        var candidates: [UID] = []
        try session.run("UID FETCH 1:* (UID RFC822.SIZE)") { event throws(ConnectionError) in
            guard case .fetch(let fetch) = event, let uid = fetch.uid, let size = fetch.size else { return }
            if sizes.contains(size), candidates.count < IMAPSession.maxMessages { candidates.append(uid) }
        }
        var copies: [Look: Int] = [:]
        for look in try looks(at: candidates.sorted(), on: session).values { copies[look, default: 0] += 1 }
        // One of two equal messages may have been copied and the other not.
        return uids.filter { uid in
            guard let look = originals[uid], let count = copies[look], count > 0 else { return false }
            copies[look] = count - 1
            return true
        }
    }

    private func looks(at uids: [UID], on session: IMAPSession) throws(ConnectionError) -> [UID: Look] {
        var looks: [UID: Look] = [:]
        let sink = HeaderSink(keepsAll: false)
        session.sink = sink
        defer { session.sink = nil }
        for set in UIDSet.texts(uids) {
            let bytes = UInt64(set.uids.count) * UInt64(MailboxFindings.maxHeaderBytes)
            try session.run("UID FETCH \(set.text) (UID RFC822.SIZE BODY.PEEK[HEADER])", expecting: bytes) {
                event throws(ConnectionError) in
                guard case .fetch(let fetch) = event, let uid = fetch.uid, let size = fetch.size,
                    case .received = fetch.body
                else { return }
                looks[uid] = Look(size: size, header: .of(sink.headers.last ?? []))
            }
        }
        return looks
    }
}

/// Messages of which it is not known whether they were copied.
extension IMAPFetching {
    /// Copies those that were not copied, deletes those that were, and leaves what is not known to the next run.
    func settleUncertainCopies() {
        guard let state else { return }
        for (folder, uids) in acknowledging.takeUncertain() {
            let search = IMAPCopySearch(login: login, access: access, epoch: state.epoch)
            do throws(ConnectionError) {
                let copied = Set(try search.copied(uids, in: acknowledging.serverName(of: folder)))
                acknowledging.noteCopied(copied.sorted())
                acknowledging.add(uids.filter { !copied.contains($0) }, .move(folder: folder))
            } catch {
                acknowledging.noteRefusal(error)
            }
        }
    }
}
