internal import Foundation
internal import GRDB

/// One attempt at an upload.
struct UploadWork: Sendable {
    let row: TransferRow
    let upload: Upload
    let server: any TransferServer
    let queue: TransferQueue
    let mark: ProcessMark

    private var id: TransferID { row.transfer.id }

    func run() async throws(ClientError) {
        let source = UploadSource(upload.source)
        let status = try await source.status()
        let standing: Standing
        if let resumed = try await resume(source, status) {
            standing = resumed
        } else {
            standing = try await begin(status)
        }
        switch standing {
        case .complete(let file): try await finish(file)
        case .open(let address, let offset):
            queue.progressBoard.set(id, bytes: offset, size: status.size)
            let file = try await send(source, status, to: address, from: offset)
            guard try await source.digest(of: status) == file.digest else {
                if case .new = upload.target { try await server.discard(file) }
                // What was sent cannot be mended.
                try await queue.set(id, heldBy: mark, ["upload": String?.none, "stamp": String?.none])
                throw ClientError(.damaged, "the server got other bytes than were sent")
            }
            try await finish(file)
        }
    }

    private enum Standing {
        case open(String, offset: Int64)
        case complete(File)
    }

    /// Standing on the server of an upload that was begun; nil when there is none, or when its file is another by now,
    /// here or there.
    private func resume(_ source: UploadSource, _ status: FileStat) async throws(ClientError) -> Standing? {
        guard let address = row.upload else { return nil }
        do {
            let standing = try await server.standing(ofUpload: address)
            if row.stamp == status.stamp {
                if !standing.isComplete, standing.offset <= status.size {
                    return .open(address, offset: standing.offset)
                }
                if standing.isComplete {
                    let file = try await server.result(ofUpload: address)
                    if try await source.digest(of: status) == file.digest { return .complete(file) }
                }
            }
            try await forget(address)
            return nil
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private func begin(_ status: FileStat) async throws(ClientError) -> Standing {
        let address = try await server.beginUpload(
            to: upload.target, contentType: upload.contentType, size: status.size,
            modifiedAt: Date(secondOf: status.modifiedAt))
        try await queue.set(id, heldBy: mark, ["upload": address, "stamp": status.stamp, "size": status.size])
        return .open(address, offset: 0)
    }

    private func forget(_ address: String) async throws(ClientError) {
        // The server sweeps it in any case.
        try? await server.dropUpload(address)
        try await queue.set(id, heldBy: mark, ["upload": String?.none, "stamp": String?.none])
    }

    private func send(
        _ source: UploadSource, _ status: FileStat, to address: String, from offset: Int64
    ) async throws(ClientError) -> File {
        let (id, board) = (id, queue.progressBoard)
        do {
            return try await server.finishUpload(address, from: offset, size: status.size) {
                board.set(id, bytes: offset, size: status.size)
                return source.pieces(from: offset, of: status) { board.add(id, $0) }
            }
        } catch { throw await source.failure ?? error }
    }

    private func finish(_ file: File) async throws(ClientError) {
        try await queue.finish(
            id, heldBy: mark, result: "\(file.id)", size: file.size, digest: file.digest, local: nil)
    }
}
