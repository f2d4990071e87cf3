internal import Crypto

/// The bytes of a local file on their way to the server. The last piece comes only when all of them were what they
/// should be, so that no half of one version and half of another ever becomes a file there.
struct FileSource: Sendable {
    let path: String
    let fingerprint: Fingerprint
    let digest: Digest
    /// Told how many bytes have gone.
    var progress: @Sendable (Int64) -> Void = { _ in }

    var size: Int64 { fingerprint.size }

    private static let pieceBytes = 256 << 10

    /// Begins anew with each call. Throws `SyncLocalError`: `changed` when the file is not what it was.
    func stream() -> AsyncThrowingStream<[UInt8], any Error> {
        let reader = Reader(self)
        return AsyncThrowingStream { try reader.next() }
    }

    /// Used by one task at a time: that which takes pieces from the stream.
    private final class Reader: @unchecked Sendable {
        private let source: FileSource
        private var descriptor: Int32?
        private var hash = SHA256()
        private var sent: Int64 = 0

        init(_ source: FileSource) { self.source = source }

        deinit { if let descriptor { FileCalls.close(descriptor) } }

        func next() throws -> [UInt8]? {
            guard sent < source.size else { return nil }
            do {
                let file = try descriptor ?? FileCalls.open(source.path, for: .reading)
                descriptor = file
                var piece: [UInt8] = []
                let wanted = Int(min(source.size - sent, Int64(FileSource.pieceBytes)))
                while piece.count < wanted {
                    let bytes = try FileCalls.read(file, upTo: wanted - piece.count)
                    guard !bytes.isEmpty else { throw SyncLocalError(.changed, "it became shorter while it was read") }
                    piece += bytes
                }
                hash.update(data: piece)
                sent += Int64(piece.count)
                if sent == source.size { try check(file) }
                source.progress(sent)
                return piece
            } catch let failure as FileCalls.Failure { throw SyncLocalError(failure) }
        }

        private func check(_ file: Int32) throws {
            let status = try FileCalls.status(of: file)
            guard Digest(bytes: hash.finalize()) == source.digest,
                Fingerprint(status).isSameContent(as: source.fingerprint)
            else { throw SyncLocalError(.changed, "it changed while it was read") }
        }
    }
}
