internal import Foundation

/// Sends a file so that a cut connection or a killed process costs only the bytes that were under way. One attempt: the
/// caller retries.
struct ResumableUpload: Sendable {
    let server: any TransferServer
    let source: UploadSource
    let target: Upload.Target
    var contentType = "application/octet-stream"
    let meter: TransferMeter
    /// Address of an upload of the same bytes that an earlier attempt began.
    let known: String?
    /// Keeps the address for later attempts; nil forgets it.
    let keep: @Sendable (_ address: String?) async throws(ClientError) -> Void
    /// Whether the file that an earlier attempt made still is what the upload is for.
    var isWanted: @Sendable (File) -> Bool = { _ in true }

    private enum Standing {
        case open(offset: Int64)
        case complete(File)
    }

    func run() async throws(ClientError) -> File {
        if let known, let standing = try await standing(of: known) {
            switch standing {
            case .complete(let file): return file
            case .open(let offset): return try await send(to: known, from: offset)
            }
        }
        let address = try await server.beginUpload(
            to: target, contentType: contentType, size: source.size, modifiedAt: Date(secondOf: source.modified))
        try await keep(address)
        return try await send(to: address, from: 0)
    }

    /// Nil when the server does not know the upload any more, or when its file has become another since.
    private func standing(of address: String) async throws(ClientError) -> Standing? {
        do {
            let standing = try await server.standing(ofUpload: address)
            if !standing.isComplete, standing.offset <= source.size { return .open(offset: standing.offset) }
            if standing.isComplete {
                let file = try await server.result(ofUpload: address)
                if try await source.digest() == file.digest, isWanted(file) { return .complete(file) }
            }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        try await forget(address)
        return nil
    }

    /// Gives an upload up.
    func forget(_ address: String) async throws(ClientError) {
        // The server sweeps it in any case.
        try? await server.dropUpload(address)
        try await keep(nil)
    }

    private func send(to address: String, from offset: Int64) async throws(ClientError) -> File {
        do {
            return try await server.finishUpload(address, from: offset, size: source.size) { [source, meter] in
                meter.set(offset, source.size)
                return source.pieces(from: offset, onPiece: meter.add)
            }
        } catch { throw await source.failure ?? error }
    }
}
