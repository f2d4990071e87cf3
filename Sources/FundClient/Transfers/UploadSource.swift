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

        /// - Parameter status: that it must still have when its last byte is read.
        func read(_ count: Int, at offset: Int64, of status: FileStat) throws(ClientError) -> [UInt8] {
            let bytes = try open().read(count, at: offset)
            if offset + Int64(bytes.count) >= status.size || bytes.count < count {
                let (opened, named) = (try self.status(), try LocalFiles.status(path))
                guard opened == status, named == status else {
                    // The next attempt begins anew.
                    throw ClientError(.interrupted, "\(path) changed while it was sent")
                }
            }
            return bytes
        }
    }

    func status() async throws(ClientError) -> FileStat { try await reader.status() }

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
