internal import Crypto
internal import Foundation

/// The bytes of a local file on their way to the server. The last piece comes only when all of them were what they
/// should be, so that no half of one version and half of another ever becomes a file there.
struct FileSource: Sendable {
    let path: String
    let fingerprint: Fingerprint
    let digest: Digest
    /// Told how many bytes have gone.
    var progress: @Sendable (Int64) -> Void = { _ in }

    var size: Int64 { fingerprint.size }
    var modifiedAt: Date { Date(secondOf: fingerprint.modified) }

    private static let pieceBytes = 256 << 10

    /// Begins anew with each call. Throws `SyncLocalError`: `changed` when the file is not what it was.
    /// - Parameter offset: the bytes before it are read and checked, and not given.
    func stream(from offset: Int64 = 0) -> AsyncThrowingStream<[UInt8], any Error> {
        let reader = Reader(self)
        return AsyncThrowingStream {
            while let (start, piece) = try reader.next() {
                if start >= offset { return piece }
                if start + Int64(piece.count) > offset { return Array(piece.dropFirst(Int(offset - start))) }
            }
            return nil
        }
    }

    /// As far as its status tells.
    var isUnchanged: Bool { (try? FileCalls.status(path)).map { Fingerprint($0) == fingerprint } ?? false }

    /// Used by one task at a time: that which takes pieces from the stream.
    private final class Reader: @unchecked Sendable {
        private let source: FileSource
        private var descriptor: Int32?
        private var hash = SHA256()
        private var sent: Int64 = 0

        init(_ source: FileSource) { self.source = source }

        deinit { if let descriptor { FileCalls.close(descriptor) } }

        /// The next piece, and where it stands in the file.
        func next() throws -> (start: Int64, bytes: [UInt8])? {
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
                return (sent - Int64(piece.count), piece)
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
