internal import Glibc
import FundCore

extension SegmentFile {
    /// Marks records as dead and gives their bytes back to the disk. Does nothing more the second time. Returns those
    /// of which the bytes are on their way to a client: they are to be given up later. Throws `DiskError`, and
    /// `LogDamage` when the disk cannot read there.
    ///
    /// The socket of a client has the pages of a file, not a copy, until the client has read them, also when the
    /// process that sent them was killed; and a hole writes zeros into pages of which it takes a part. So no bytes are
    /// taken that were sent from where they stand and are in memory then. They come no more into any socket: a reader
    /// looks whether a record is live when it holds it, and here it is marked as dead before the lock is asked for.
    func giveUp(_ records: [(location: RecordLocation, digest: ContentDigest)]) throws -> [RecordLocation] {
        let headers = try records.compactMap { try markDead($0.location, of: $0.digest) }
        // Pages that are not on the disk yet do not leave memory.
        try sync()
        // All are looked at before the first hole: it changes pages that two records share, which then stay in memory.
        let free = headers.filter { hold($0) }
        defer { for header in free { letGo(header) } }
        for header in free { try giveBack(header) }
        try sync()
        return headers.filter { !free.contains($0) }.map { $0.location(in: number) }
    }

    /// Marks a record as dead, and gives its header; nil for one that is damaged, which has no header that could say
    /// it.
    private func markDead(_ location: RecordLocation, of digest: ContentDigest) throws -> RecordHeader? {
        guard let (header, state) = try head(at: location, of: digest) else { return nil }
        if state != .dead { try write(.dead, at: location) }
        return header
    }

    /// Marks a record as live whose state is not what it should be. The caller has compared all of its bytes, and no
    /// process gives any back meanwhile. False where it is not that record any more.
    func markLive(_ location: RecordLocation, of digest: ContentDigest) throws -> Bool {
        guard try head(at: location, of: digest) != nil else { return false }
        try write(.live, at: location)
        try sync()
        return true
    }

    private func head(
        at location: RecordLocation, of digest: ContentDigest
    ) throws -> (header: RecordHeader, state: RecordHeader.State)? {
        let head = try bytes(LogFormat.headerBytes + LogFormat.maxOriginBytes, at: location.offset)
        guard let found = head.withUnsafeBytes({ RecordHeader.read($0) }), found.header.salt == salt,
            found.header.location(in: number) == location, found.header.label.digest == digest
        else { return nil }
        return found
    }

    private func write(_ state: RecordHeader.State, at location: RecordLocation) throws {
        try write(state.bytes, at: location.offset + Int64(LogFormat.stateOffset))
    }

    /// False while its bytes are on their way to a client.
    private func hold(_ header: RecordHeader) -> Bool {
        guard header.canBeSent else { return true }
        guard LinuxFile.lock(.exclusive, descriptor, at: header.offset, count: header.byteCount) else { return false }
        let count = header.end - header.bodyOffset
        guard hasNoDisk || LinuxFile.leaveMemory(descriptor, at: header.bodyOffset, count: count) else {
            letGo(header)
            return false
        }
        return true
    }

    private func letGo(_ header: RecordHeader) {
        guard header.canBeSent else { return }
        _ = LinuxFile.lock(.none, descriptor, at: header.offset, count: header.byteCount)
    }

    private func giveBack(_ header: RecordHeader) throws {
        let count = header.end - header.bodyOffset
        guard count > 0 else { return }
        guard LinuxFile.punchHole(descriptor, at: header.bodyOffset, count: count) || errno == EOPNOTSUPP else {
            throw DiskError("give back bytes of", path)
        }
    }
}
