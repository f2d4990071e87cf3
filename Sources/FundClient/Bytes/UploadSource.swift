internal import Synchronization

/// A file that is sent. It must stay what it was when the upload began, to the last byte: the last piece is given only
/// when it did, so that no half of one version and half of another becomes a file on the server.
struct UploadSource: Sendable {
    private static let pieceBytes = 256 << 10

    /// Size in bytes.
    let size: Int64
    /// Time of the last change, in nanoseconds since 1970.
    let modified: Int64
    private let reader: Reader

    /// Opens a file whose digest is not known yet. Its name must go on leading to it.
    static func open(_ path: String) async throws(ClientError) -> (source: UploadSource, stamp: String) {
        let reader = Reader(path)
        let status = try await reader.expectPresentStatus()
        return (UploadSource(size: status.size, modified: status.modified, reader: reader), status.stamp)
    }

    private init(size: Int64, modified: Int64, reader: Reader) {
        (self.size, self.modified, self.reader) = (size, modified, reader)
    }

    /// A file whose digest is known.
    /// - Parameter isSame: whether the file with that status has the same bytes, as far as a status tells.
    init(
        _ path: String, size: Int64, modified: Int64, digest: Digest, isSame: @escaping @Sendable (FileStatus) -> Bool
    ) {
        let expectation = Expectation(size: size, digest: digest, isNamed: false, isSame: isSame)
        self.init(size: size, modified: modified, reader: Reader(path, expectation))
    }

    private struct Expectation: Sendable {
        var size: Int64
        /// Digest of the whole, where it is known.
        var digest: Digest?
        /// The path must lead to the file to the end.
        var isNamed: Bool
        var isSame: @Sendable (FileStatus) -> Bool
    }

    private actor Reader {
        private let path: String
        private var expected: Expectation
        private var file: OpenFile?
        /// Digest of the bytes so far, those included that the server had already.
        private var hash = DigestBuilder()
        private var hashedCount: Int64 = 0
        private(set) var failure: ClientError?
        private let executor = BlockingExecutor(label: "fund.source")
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ path: String, _ expected: Expectation = Expectation(size: 0, isNamed: true) { _ in false }) {
            (self.path, self.expected) = (path, expected)
        }

        private func open() throws(ClientError) -> OpenFile {
            if let file { return file }
            let file = try OpenFile(path, .read)
            self.file = file
            return file
        }

        func expectPresentStatus() throws(ClientError) -> FileStatus {
            let status = try open().status()
            guard status.kind == .file else { throw ClientError(.local, "\(path): not a file") }
            expected = Expectation(size: status.size, isNamed: true) { $0 == status }
            return status
        }

        private func take(_ bytes: [UInt8]) throws(ClientError) {
            guard !bytes.isEmpty else { throw ClientError(.changedHere, path) }
            hash.add(bytes)
            hashedCount += Int64(bytes.count)
        }

        /// Reads what was not sent from here.
        func digest() throws(ClientError) -> Digest {
            if let known = expected.digest { return known }
            try hash(upTo: expected.size)
            return hash.digest
        }

        private func hash(upTo offset: Int64) throws(ClientError) {
            while hashedCount < offset {
                try take(open().read(Int(min(Int64(UploadSource.pieceBytes), offset - hashedCount)), at: hashedCount))
            }
        }

        func read(_ count: Int, at offset: Int64) throws(ClientError) -> [UInt8] {
            do throws(ClientError) { return try readUnchanged(count, at: offset) } catch {
                failure = error
                throw error
            }
        }

        private func readUnchanged(_ count: Int, at offset: Int64) throws(ClientError) -> [UInt8] {
            if offset < hashedCount { (hash, hashedCount) = (DigestBuilder(), 0) }
            try hash(upTo: offset)
            let file = try open()
            let bytes = try file.read(count, at: offset)
            try take(bytes)
            // At each piece: a file that changed need not be sent to its end. The next attempt begins anew.
            guard expected.isSame(try file.status()) else { throw ClientError(.changedHere, path) }
            if offset + Int64(bytes.count) >= expected.size || bytes.count < count { try checkWhole() }
            return bytes
        }

        private func checkWhole() throws(ClientError) {
            if let digest = expected.digest, digest != hash.digest { throw ClientError(.changedHere, path) }
            guard expected.isNamed else { return }
            guard let named = try LocalFiles.existing(path), expected.isSame(named) else {
                throw ClientError(.changedHere, path)
            }
        }
    }

    /// Why the bytes ended before their end. The connection knows only that they did.
    var failure: ClientError? { get async { await reader.failure } }

    /// Digest of all that was sent, by this process or before it.
    func digest() async throws(ClientError) -> Digest { try await reader.digest() }

    /// The bytes behind an offset. They end with `changedHere` when the file is not what it was.
    func pieces(
        from offset: Int64 = 0, onPiece: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> AsyncThrowingStream<[UInt8], any Error> {
        let (reader, size) = (reader, size)
        let place = Mutex(offset)
        return AsyncThrowingStream {
            let offset = place.withLock { $0 }
            guard offset < size else { return nil }
            let piece = try await reader.read(Int(min(Int64(Self.pieceBytes), size - offset)), at: offset)
            place.withLock { $0 += Int64(piece.count) }
            onPiece(piece.count)
            return piece
        }
    }
}
