/// Messages of which it is not known whether they were copied.
extension IMAPFetching {
    /// Copies those that were not, and goes on with the deletion of those that were. What cannot be known stays as it is; the next run
    /// looks again.
    func settleUncertainCopies() {
        guard let state else { return }
        for (folder, uids) in acknowledging.takeUncertain() {
            let search = IMAPCopySearch(login: login, mailbox: access.address.mailbox, epoch: state.epoch)
            do throws(FetchError) {
                let copied = Set(try search.copied(uids, in: acknowledging.serverName(of: folder)))
                acknowledging.noteCopied(copied.sorted())
                acknowledging.add(uids.filter { !copied.contains($0) }, .move(folder: folder))
            } catch {
                acknowledging.noteRefusal(error)
            }
        }
    }
}
