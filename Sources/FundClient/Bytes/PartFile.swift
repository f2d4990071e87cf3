/// An unfinished download, under a temporary name until it is whole, with the digest of its bytes. One process at a
/// time has it open; the file outlives the process.
actor PartFile {
    private static let pieceBytes = 1 << 20

    let path: String
    private let rights: UInt32
    private let modified: Int64?
    private var opened: OpenFile?
    private var digest = DigestBuilder()
    /// Bytes that are in the file and in `digest`.
    private var count: Int64 = 0

    private let executor = BlockingExecutor(label: "fund.part")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The file is opened or made by the first call.
    /// - Parameters:
    ///   - rights: permissions of a new file, before the mask of the process.
    ///   - modified: time of the last change that the file gets, in seconds since 1970; nil for that of the download.
    init(_ path: String, rights: UInt32 = 0o600, modified: Int64? = nil) {
        (self.path, self.rights, self.modified) = (path, rights, modified)
    }

    /// Throws `busy` when another process has the file.
    private func open() throws(ClientError) -> OpenFile {
        if let opened { return opened }
        while true {
            let file: OpenFile
            do { file = try OpenFile(path, .write, rights: rights) } catch {
                guard error.isMissing else { throw error }
                try LocalFiles.makeFolders(LocalFiles.folder(of: path))
                file = try OpenFile(path, .write, rights: rights)
            }
            guard try file.lock() else {
                throw ClientError(.busy, "another process is loading it", retryAfter: .seconds(2))
            }
            // The process before may have renamed the finished file before the lock was free.
            guard file.isStillNamed else { continue }
            opened = file
            return file
        }
    }

    /// Begins, or goes on. Bytes from before a power cut may be wrong: the digest of the whole shows it.
    /// - Parameters:
    ///   - isResumed: keeps the bytes that are there; otherwise they are removed.
    ///   - maxBytes: size of the whole; a longer file is of another content, and begins anew.
    /// - Returns: bytes that are there.
    func begin(isResumed: Bool, maxBytes: Int64 = .max) throws(ClientError) -> Int64 {
        let file = try open()
        (digest, count) = (DigestBuilder(), 0)
        let size = try file.status().size
        guard isResumed, size <= maxBytes else {
            try file.truncate(to: 0)
            return 0
        }
        if size > 0 { try copy(file) { _ in } }
        return count
    }

    /// Takes in a file from its beginning, and writes it here unless it is this one.
    private func copy(_ source: OpenFile, onPiece: (Int) -> Void) throws(ClientError) {
        let file = try open()
        while true {
            let piece = try source.read(Self.pieceBytes, at: count)
            if source === file { note(piece) } else { try append(piece) }
            onPiece(piece.count)
            if piece.count < Self.pieceBytes { return }
            if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
        }
    }

    private func note(_ bytes: [UInt8]) {
        digest.add(bytes)
        count += Int64(bytes.count)
    }

    func append(_ bytes: [UInt8]) throws(ClientError) {
        try open().write(bytes, at: count)
        note(bytes)
    }

    /// Ends the file with the last bytes.
    /// - Parameter isFlushed: the bytes are on the disk when this returns.
    /// - Returns: the digest and the size of the whole.
    func finish(_ rest: [UInt8] = [], isFlushed: Bool = true) throws(ClientError) -> (digest: Digest, size: Int64) {
        try append(rest)
        let file = try open()
        if try file.status().size != count { try file.truncate(to: count) }
        if let modified { try file.setModified(modified) }
        if isFlushed { try file.flush() }
        return (digest.digest, count)
    }

    /// Takes the bytes of another file of this machine. False when that is not there.
    func copy(_ source: String, onPiece: @Sendable (Int) -> Void) throws(ClientError) -> Bool {
        guard let other = try? OpenFile(source, .read) else { return false }
        _ = try begin(isResumed: false)
        try copy(other, onPiece: onPiece)
        return true
    }
}
