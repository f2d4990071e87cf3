internal import Crypto

/// The bytes of a server's file on their way here, in a file of its own until they are complete. What a killed process
/// left of it is gone on with.
struct SyncPart: Sendable {
    let path: String

    private static let pieceBytes = 1 << 20

    /// Loads what is missing, and checks all of it. It is not flushed to the disk yet.
    ///
    /// Throws `ClientError` (`damaged` when the bytes are not those that were promised) or `SyncLocalError`.
    /// - Parameters:
    ///   - modified: seconds since 1970, for the file; 0 where it is not known.
    ///   - progress: told how many bytes are here.
    func load(
        _ node: RemoteNode, from remote: any RemoteSide, modified: Int64, progress: @Sendable (Int64) -> Void
    ) async throws {
        do {
            var (hash, here) = try resume(upTo: node.size)
            let file = try FileCalls.open(path, for: .appending)
            defer { FileCalls.close(file) }
            if here < node.size {
                for try await piece in try await remote.content(of: node, from: here) {
                    try Task.checkCancellation()
                    guard here + Int64(piece.count) <= node.size else {
                        throw ClientError(.protocolViolation, "more bytes came than the file has")
                    }
                    try FileCalls.write(piece, to: file)
                    hash.update(data: piece)
                    here += Int64(piece.count)
                    progress(here)
                }
            }
            guard here == node.size else { throw ClientError(.interrupted, "the connection ended before the file did") }
            guard Digest(bytes: hash.finalize()) == node.digest else {
                try? FileCalls.removeFile(path)
                throw ClientError(.damaged, "the bytes are not those of the file")
            }
            if modified != 0 { try FileCalls.setModified(modified, of: file) }
        } catch let failure as FileCalls.Failure {
            throw SyncLocalError(failure)
        } catch is CancellationError {
            throw ClientError(.cancelled, "cancelled")
        } catch let error as TransportError {
            throw ClientError(error.code == .cancelled ? .cancelled : .interrupted, error.detail)
        }
    }

    /// The hash and the number of the bytes that are here.
    private func resume(upTo size: Int64) throws(FileCalls.Failure) -> (SHA256, Int64) {
        var (hash, count) = (SHA256(), Int64(0))
        let file: Int32
        do { file = try FileCalls.open(path, for: .reading) } catch {
            if error == .missing { return (hash, 0) }
            throw error
        }
        defer { FileCalls.close(file) }
        guard try FileCalls.status(of: file).size <= size else {
            try FileCalls.removeFile(path)
            return (hash, 0)
        }
        while true {
            let bytes = try FileCalls.read(file, upTo: Self.pieceBytes)
            if bytes.isEmpty { return (hash, count) }
            hash.update(data: bytes)
            count += Int64(bytes.count)
        }
    }
}
