internal import Foundation

/// Files here, and an upload on the server, that a cancelled transfer has left.
struct Leftovers: Sendable {
    let row: TransferRow
    let queue: TransferQueue
    let cache: ContentCache
    let server: any TransferServer

    init(of row: TransferRow, queue: TransferQueue, cache: ContentCache, server: any TransferServer) {
        (self.row, self.queue, self.cache, self.server) = (row, queue, cache, server)
    }

    /// Removes them. A leftover that cannot be removed now is swept later.
    func remove() async {
        switch row.transfer.work {
        case .download(let download):
            if let destination = download.destination {
                try? LocalFiles.remove(DownloadWork.partPath(of: destination, row.transfer))
            } else if let digest = row.digest {
                await cache.removePart(of: digest)
            }
        case .upload:
            guard let address = row.upload else { return }
            do throws(ClientError) {
                try await server.dropUpload(address)
            } catch {
                guard !error.isWorthRetrying else { return }
            }
        }
        try? await queue.noteRemoval(of: row.transfer.id)
    }
}
