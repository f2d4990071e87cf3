internal import GRDB

/// One attempt at an upload of the queue.
struct UploadWork: Sendable {
    let row: TransferRow
    let upload: Upload
    let server: any TransferServer
    let queue: TransferQueue
    let mark: ProcessMark

    func run() async throws(ClientError) {
        let id = row.transfer.id
        let (source, stamp) = try await UploadSource.open(upload.source)
        let isSame = row.stamp == stamp
        let sending = ResumableUpload(
            server: server, source: source, target: upload.target, contentType: upload.contentType,
            meter: queue.progressBoard.meter(id), known: isSame ? row.upload : nil
        ) { [queue, mark] address throws(ClientError) in
            let values: [String: (any DatabaseValueConvertible & Sendable)?] = [
                "upload": address, "stamp": address == nil ? nil : stamp, "size": source.size,
            ]
            try await queue.set(id, heldBy: mark, values)
        }
        if !isSame, let address = row.upload { try await sending.forget(address) }
        let file = try await sending.run()
        guard try await source.digest() == file.digest else {
            if case .new = upload.target { try await server.discard(file) }
            // Wrong bytes cannot be mended.
            try await sending.keep(nil)
            throw ClientError(.damaged, "the server got other bytes than were sent")
        }
        try await queue.finish(
            id, heldBy: mark, result: "\(file.id)", size: file.size, digest: file.digest, local: nil)
    }
}
