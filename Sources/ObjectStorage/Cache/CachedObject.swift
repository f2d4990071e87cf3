internal import FundCore
internal import Glibc
internal import Synchronization

/// An object that is read through a `BlockCache`. For any thread; blocks.
package final class CachedObject: Sendable {
    package let key: ObjectKey
    /// Bytes of the object.
    package let size: Int64
    private let bucket: Bucket
    private let cache: BlockCache
    private let name: String
    private let path: String
    private let state: Mutex<State>

    private struct State {
        /// Nil where the disk takes none: then each read is a request.
        var file: CacheFile?
        var notedAt: ContinuousClock.Instant
        /// Block in which the last call ended: a call that begins there, or behind it, reads the object in its order.
        var last: Int64?
    }

    /// Blocks of one request, 256 KiB: a request for fewer bytes takes as long.
    private static let fewestBlocks: Int64 = 4
    /// Blocks of one request while an object is read in its order, 1 MiB.
    private static let runBlocks: Int64 = 16
    private static let noteInterval = Duration.seconds(30)
    /// Another process that fetches a block and is stopped meanwhile is not waited for longer.
    private static let longestWait = Duration.seconds(10)
    private static let waitMilliseconds: Int32 = 2

    init(_ key: ObjectKey, in bucket: Bucket, cache: BlockCache) throws(ObjectStorageError) {
        (self.key, self.bucket, self.cache) = (key, bucket, cache)
        name = "\(bucket.address)\(key)"
        path = cache.path(of: name)
        if let file = try? CacheFile.open(path, of: name) {
            size = file.size
            state = Mutex(State(file: file, notedAt: .now))
            file.noteUse()
            return
        }
        let first = try bucket.get(key, 0..<Self.fewestBlocks * CacheFile.blockBytes)
        let file = try? CacheFile.make(path, of: name, size: first.size)
        size = first.size
        state = Mutex(State(file: file, notedAt: .now))
        if let file { put(first.bytes, from: 0, into: file) }
    }

    /// Fills a buffer with the bytes at `offset`. Returns how many came, fewer than it has room for only at the end.
    /// Blocks that are here need no request. Throws `ObjectStorageError`.
    package func fill(
        _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(ObjectStorageError) -> Int {
        let wanted = (offset..<offset + Int64(buffer.count)).clamped(to: 0..<size)
        guard !wanted.isEmpty else { return 0 }
        let last = (wanted.upperBound - 1) / CacheFile.blockBytes
        var done = wanted.lowerBound
        let isInOrder = state.withLock { state in
            defer { state.last = last }
            let block = done / CacheFile.blockBytes
            return state.last == block || state.last.map { $0 + 1 } == block
        }
        while done < wanted.upperBound {
            let block = done / CacheFile.blockBytes
            let (bytes, start) = try bytes(of: block, upTo: last, isInOrder)
            let count = min(wanted.upperBound, start + Int64(bytes.count)) - done
            bytes.withUnsafeBytes { bytes in
                let source = UnsafeRawBufferPointer(rebasing: bytes[Int(done - start)..<Int(done - start + count)])
                let room = UnsafeMutableRawBufferPointer(rebasing: buffer[Int(done - wanted.lowerBound)...])
                room.copyMemory(from: source)
            }
            done += count
        }
        return wanted.count
    }

    /// The bytes of a block, perhaps with those behind it, and where they begin.
    ///
    /// - Parameter last: the last block that the caller wants.
    private func bytes(
        of block: Int64, upTo last: Int64, _ isInOrder: Bool
    ) throws(ObjectStorageError) -> (bytes: [UInt8], start: Int64) {
        guard let file = file() else { return try fetch(blocks(block, upTo: last)) }
        let start = block * CacheFile.blockBytes
        if let bytes = file.read(block) {
            if isInOrder { readAhead(block + 1, file) }
            return (bytes, start)
        }
        let count = isInOrder ? Self.runBlocks : min(max(last + 1 - block, Self.fewestBlocks), Self.runBlocks)
        let end = min(file.blockCount, block + count)
        let deadline = ContinuousClock.now + Self.longestWait
        while ContinuousClock.now < deadline {
            if let flight = file.takeFlight(of: block..<end) ?? file.takeFlight(of: block..<block + 1) {
                // Another may just have put it.
                if let bytes = file.read(block) { return (bytes, start) }
                return try withExtendedLifetime(flight) { () throws(ObjectStorageError) in
                    try fetch(missing(from: block, to: end, file), into: file)
                }
            }
            poll(nil, 0, Self.waitMilliseconds)
            if let bytes = file.read(block) { return (bytes, start) }
        }
        return try fetch(blocks(block, upTo: last))
    }

    /// The blocks of a request that nothing here helps.
    private func blocks(_ block: Int64, upTo last: Int64) -> Range<Int64> {
        block..<min(last + 1, block + Self.runBlocks)
    }

    /// The blocks from one that is missing up to the next that is there.
    private func missing(from block: Int64, to end: Int64, _ file: CacheFile) -> Range<Int64> {
        block..<((block + 1..<end).first(where: file.has) ?? end)
    }

    /// The file, made again where it was removed to make room.
    private func file() -> CacheFile? {
        let (file, isToNote) = state.withLock { state in
            let now = ContinuousClock.now
            let isToNote = now - state.notedAt > Self.noteInterval
            if isToNote { state.notedAt = now }
            return (state.file, isToNote)
        }
        guard let file else { return nil }
        if isToNote { file.noteUse() }
        guard file.isRemoved else { return file }
        let other = (try? CacheFile.open(path, of: name)) ?? (try? CacheFile.make(path, of: name, size: size))
        state.withLock { $0.file = other }
        return other
    }

    private func fetch(
        _ blocks: Range<Int64>, into file: CacheFile? = nil
    ) throws(ObjectStorageError) -> (bytes: [UInt8], start: Int64) {
        let start = blocks.lowerBound * CacheFile.blockBytes
        let part = try bucket.get(key, start..<min(blocks.upperBound * CacheFile.blockBytes, size))
        guard part.size == size else {
            throw ObjectStorageError(.damaged, "get \(key)", "it has \(part.size) bytes, and had \(size)")
        }
        if let file { put(part.bytes, from: start, into: file) }
        return (part.bytes, start)
    }

    /// - Parameter start: offset of a block.
    private func put(_ bytes: [UInt8], from start: Int64, into file: CacheFile) {
        bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let block = (start + Int64(done)) / CacheFile.blockBytes
                let count = file.range(of: block).count
                file.write(block, UnsafeRawBufferPointer(rebasing: bytes[done..<done + count]))
                done += count
            }
        }
        cache.noteAdded(bytes.count)
    }

    /// Fetches the next blocks on a thread of their own, while the caller uses those before them.
    private func readAhead(_ block: Int64, _ file: CacheFile) {
        // A look now and then; while a run is on its way there is no second.
        guard block % (Self.runBlocks / 2) == 0,
            let first = (block..<min(block + Self.runBlocks, file.blockCount)).first(where: { !file.has($0) })
        else { return }
        let end = min(first + Self.runBlocks, file.blockCount)
        guard let flight = file.takeFlight(of: first..<end) else { return }
        _ = OwnThread.start { [self] in
            withExtendedLifetime(flight) { _ = try? fetch(missing(from: first, to: end, file), into: file) }
        }
    }
}
