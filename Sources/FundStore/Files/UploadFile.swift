internal import Crypto
import FundCore
internal import Glibc
internal import Synchronization

/// The bytes of an upload while they come: of a small one in memory, of a large one in `tmp`.
final class UploadFile: UploadWriter, GrowingFile {
    private struct State {
        var hash = SHA256()
        var size: Int64 = 0
        var memory: [UInt8] = []
        var large: LargeRecord?
        var isFinished = false
        /// Bytes of the content of which another process appends some.
        var growingSize: Int64?
        /// Where it appends, while it may.
        var end: Int32?

        func requireLarge() throws -> LargeRecord {
            guard let large, !isFinished else { throw StoreError(.invalid, "take an upload", "no process appends") }
            return large
        }
    }

    private let log: StoreLog
    private let name: String
    private let claim: UploadClaims.ID
    private let state: Mutex<State>

    /// - Parameters:
    ///   - name: that its file will have, for `salvage`.
    ///   - announced: how many bytes will come, if that is known. Throws `outOfSpace` when they do not fit.
    init(_ log: StoreLog, named name: String, announcing announced: Int64?) throws {
        (self.log, self.name) = (log, name)
        let space = log.connection.space
        let large = try StoreError.wrapping("take an upload") {
            // The bytes that an upload without room must give back have to be known when it begins.
            announced ?? .max < LogFormat.largeBytes ? nil : try log.makeLarge(.blob, origin: name)
        }
        claim = try space.claims.add(announcing: announced, room: { space.intakeRoom }) { large?.giveUp() }
        state = Mutex(State(large: large))
    }

    /// A file of a drive, see `UploadStaging.resumeUpload`.
    init(_ log: StoreLog, resuming part: PulledPart, named name: String, count: (Int) -> Void) throws {
        (self.log, self.name) = (log, name)
        let space = log.connection.space
        var hash = SHA256()
        let large = try StoreError.wrapping("go on with an upload") {
            let record = try PulledPartFiles(log).record(of: part, named: name) { bytes in
                hash.update(bufferPointer: bytes)
                count(bytes.count)
            }
            return try record ?? log.makeLarge(.blob, origin: name)
        }
        // Where the rest does not fit now, the bytes that came stay for the next attempt.
        claim = try space.claims.add(announcing: part.size - large.bodyBytes, room: { space.intakeRoom }) {
            large.giveUp()
        }
        state = Mutex(State(hash: hash, size: large.bodyBytes, large: large))
    }

    deinit {
        log.connection.space.claims.remove(claim)
        if let end = state.withLock({ $0.end }) { close(end) }
    }

    var size: Int64 { state.withLock { $0.size } }

    func giveUp() { state.withLock { $0.large }?.removeName() }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        let space = log.connection.space
        try StoreError.wrapping("take an upload") {
            try state.withLock { state in
                guard !state.isFinished else { throw StoreError(.invalid, "take an upload", "it is finished") }
                try space.claims.grow(claim, by: Int64(bytes.count)) { space.intakeRoom }
                state.hash.update(bufferPointer: bytes)
                state.size += Int64(bytes.count)
                if state.large == nil, state.size < LogFormat.largeBytes {
                    return state.memory.append(contentsOf: bytes)
                }
                let large = try state.large ?? log.makeLarge(.blob, origin: name)
                if !state.memory.isEmpty {
                    try state.memory.withUnsafeBytes { try large.append($0) }
                    state.memory = []
                }
                try large.append(bytes)
                state.large = large
            }
        }
    }

    // MARK: Bytes that another process appends

    func growing(to size: Int64) -> (any GrowingFile)? {
        state.withLock { state in
            guard state.large != nil else { return nil }
            state.growingSize = size
            return self
        }
    }

    func beginGrowing() throws -> GrowingEnd {
        try StoreError.wrapping("take an upload") {
            try state.withLock { state in
                let large = try state.requireLarge()
                guard let size = state.growingSize, state.end == nil else {
                    throw StoreError(.invalid, "take an upload", "a process appends already")
                }
                let end = try large.openEnd()
                state.end = end
                return GrowingEnd(descriptor: end, maxFileBytes: large.bodyOffset + size + 1)
            }
        }
    }

    func takeGrown() throws -> Int {
        try StoreError.wrapping("take an upload") { try state.withLock { try takeGrown(&$0, .blocks) } }
    }

    func endGrowing() throws {
        try StoreError.wrapping("take an upload") {
            try state.withLock { state in
                let large = try state.requireLarge()
                guard let end = state.end else { return }
                close(end)
                state.end = nil
                try large.waitForWriters()
                while try takeGrown(&state, .all) > 0 {}
            }
        }
    }

    private func takeGrown(_ state: inout State, _ part: LargeRecord.Appended) throws -> Int {
        let (large, space) = (try state.requireLarge(), log.connection.space)
        return try large.take(part) { bytes in
            try space.claims.grow(claim, by: Int64(bytes.count)) { space.intakeRoom }
            state.hash.update(bufferPointer: bytes)
            state.size += Int64(bytes.count)
        }
    }

    func finish(contentType: String) throws -> StagedUpload {
        try state.withLock { state in
            guard !state.isFinished else { throw StoreError(.invalid, "finish an upload", "it is finished") }
            try log.connection.space.claims.finish(claim)
            state.isFinished = true
            return StagedUpload(
                digest: ContentDigest(state.hash.finalize()), size: state.size, contentType: contentType, owner: self)
        }
    }

    /// Appends the bytes to the log; nil when there are none. Once.
    func store(_ digest: ContentDigest) throws -> AppendedRecord? {
        try StoreError.wrapping("store an upload") {
            try state.withLock { state in
                // Its file goes with it.
                defer { state.large = nil }
                guard state.size > 0 else { return nil }
                if let large = state.large { return try log.append(blob: large, of: digest, named: name) }
                return try log.append(blob: state.memory, of: digest, named: name)
            }
        }
    }
}
