internal import Crypto
internal import Foundation

/// The part of a download that is here, under a name of its own until it is whole. It knows the digest of its bytes.
/// One process at a time has it; it outlives the process.
actor PartFile {
    private static let pieceBytes = 1 << 20

    let path: String
    private let file: OpenFile
    private var hash = SHA256()
    /// Bytes that are there and in `hash`.
    private(set) var count: Int64 = 0

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Of the last change; nil for that of the download.
    private let modifiedAt: Date?

    /// Opens it or makes it.
    /// - Parameters:
    ///   - rights: of a new one, before the mask of the process.
    ///   - modifiedAt: the time of the last change that it gets; nil for that of the download.
    /// - Throws: `busy` when another process has it.
    init(_ path: String, rights: UInt32 = 0o600, modifiedAt: Date? = nil) async throws(ClientError) {
        (self.path, self.modifiedAt) = (path, modifiedAt)
        let executor = BlockingExecutor(label: "fund.part")
        self.executor = executor
        file = try await Self.open(path, rights, on: Opener(executor: executor))
    }

    /// Opens files on the queue of a part that is still to be made.
    private actor Opener {
        private let executor: BlockingExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(executor: BlockingExecutor) { self.executor = executor }

        func open(_ path: String, _ rights: UInt32) throws(ClientError) -> OpenFile {
            try LocalFiles.makeFolder(LocalFiles.folder(of: path))
            while true {
                let file = try OpenFile(path, .write, rights: rights)
                guard try file.lock() else {
                    throw ClientError(.busy, "another process is loading it", retryAfter: .seconds(2))
                }
                // Its holder may have finished and renamed it before the lock was free.
                if file.isStillNamed { return file }
            }
        }
    }

    private static func open(
        _ path: String, _ rights: UInt32, on opener: Opener
    ) async throws(ClientError) -> OpenFile { try await opener.open(path, rights) }

    /// Takes in what is there already. What was written before a power cut may be wrong: the digest of the whole shows
    /// it.
    func readWhatIsThere() throws(ClientError) {
        hash = SHA256()
        count = 0
        while true {
            let piece = try file.read(Self.pieceBytes, at: count)
            hash.update(data: piece)
            count += Int64(piece.count)
            if piece.count < Self.pieceBytes { return }
            if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
        }
    }

    /// What is there is of no use.
    func beginAnew() throws(ClientError) {
        try file.truncate(to: 0)
        hash = SHA256()
        count = 0
    }

    func append(_ bytes: [UInt8]) throws(ClientError) {
        try file.write(bytes, at: count)
        hash.update(data: bytes)
        count += Int64(bytes.count)
    }

    /// Its bytes are on the disk when this returns.
    /// - Returns: their digest.
    func finish() throws(ClientError) -> Digest {
        try file.truncate(to: count)
        if let modifiedAt { try file.setModified(modifiedAt) }
        try file.flush()
        guard let digest = Digest(bytes: hash.finalize()) else { throw ClientError(.local, "no digest") }
        return digest
    }

    /// Which file it is.
    func identity() throws(ClientError) -> FileStat.Identity { try file.status().identity }

    /// Takes in the bytes of another file of this machine. False when that is not there.
    func copy(_ source: String, onPiece: @Sendable (Int) -> Void) throws(ClientError) -> Bool {
        guard let other = try? OpenFile(source, .read) else { return false }
        try beginAnew()
        while true {
            let piece = try other.read(Self.pieceBytes, at: count)
            try append(piece)
            onPiece(piece.count)
            if piece.count < Self.pieceBytes { return true }
            if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
        }
    }
}
