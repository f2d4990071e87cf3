internal import Crypto
internal import Foundation
internal import Synchronization

/// A file that is sent. It must stay what it was when the upload began, to the last byte.
struct UploadSource: Sendable {
    private static let pieceBytes = 256 << 10

    private let reader: Reader

    init(_ path: String) { reader = Reader(path) }

    private actor Reader {
        private let path: String
        private var file: OpenFile?
        /// Of the bytes so far, also of those that the server had already.
        private var hash = SHA256()
        private var hashedCount: Int64 = 0
        private(set) var failure: ClientError?
        private let executor = BlockingExecutor(label: "fund.source")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ path: String) { self.path = path }

        private func open() throws(ClientError) -> OpenFile {
            if let file { return file }
            let file = try OpenFile(path, .read)
            self.file = file
            return file
        }

        func status() throws(ClientError) -> FileStat {
            let status = try open().status()
            guard status.kind == .file else { throw ClientError(.local, "\(path): not a file") }
            return status
        }

        private func take(_ bytes: [UInt8]) throws(ClientError) {
            guard !bytes.isEmpty else { throw ClientError(.changedHere, path) }
            hash.update(data: bytes)
            hashedCount += Int64(bytes.count)
        }

        /// Reads what was not sent from here.
        func digest(of status: FileStat) throws(ClientError) -> Digest? {
            try hash(upTo: status.size)
            return Digest(bytes: hash.finalize())
        }

        private func hash(upTo offset: Int64) throws(ClientError) {
            while hashedCount < offset {
                try take(open().read(Int(min(Int64(UploadSource.pieceBytes), offset - hashedCount)), at: hashedCount))
            }
        }

        /// - Parameter status: that it must still have.
        func read(_ count: Int, at offset: Int64, of status: FileStat) throws(ClientError) -> [UInt8] {
            do throws(ClientError) { return try readUnchanged(count, at: offset, of: status) } catch {
                failure = error
                throw error
            }
        }

        private func readUnchanged(_ count: Int, at offset: Int64, of status: FileStat) throws(ClientError) -> [UInt8] {
            if offset < hashedCount { (hash, hashedCount) = (SHA256(), 0) }
            try hash(upTo: offset)
            let bytes = try open().read(count, at: offset)
            try take(bytes)
            // At each piece: what changed need not be sent to its end. The next attempt begins anew.
            guard try self.status() == status else { throw ClientError(.changedHere, path) }
            if offset + Int64(bytes.count) >= status.size || bytes.count < count {
                guard try LocalFiles.status(path) == status else { throw ClientError(.changedHere, path) }
            }
            return bytes
        }
    }

    func status() async throws(ClientError) -> FileStat { try await reader.status() }

    /// Why the bytes ended before their end. To the connection it is one more reason to break off.
    var failure: ClientError? { get async { await reader.failure } }

    /// Of all that was sent, by this process or before it.
    func digest(of status: FileStat) async throws(ClientError) -> Digest? { try await reader.digest(of: status) }

    /// The bytes behind an offset. They end with an error when the file is not what it was: the last of them is not
    /// sent then.
    func pieces(
        from offset: Int64, of status: FileStat, onPiece: @escaping @Sendable (Int) -> Void
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        let reader = reader
        let place = Mutex(offset)
        return AsyncThrowingStream {
            let offset = place.withLock { $0 }
            guard offset < status.size else { return nil }
            let count = Int(min(Int64(Self.pieceBytes), status.size - offset))
            let piece = try await reader.read(count, at: offset, of: status)
            place.withLock { $0 += Int64(piece.count) }
            onPiece(piece.count)
            return piece
        }
    }
}
