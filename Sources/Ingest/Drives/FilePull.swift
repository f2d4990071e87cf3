internal import Dispatch
package import FundCore
internal import Synchronization

/// Files and folders of the library as transfers need them.
package typealias TransferLibrary = ContentReading & FileReading & UploadStaging

/// The reading of one file of a drive into an upload: it goes on where it was cut, if the file is still the same.
struct FilePull: Sendable {
    /// Reads in a row that bring nothing, or that find the file changed.
    private static let maxAttempts = 3
    /// Least size of a file that is looked at again when all of it has come: the store may have changed it meanwhile.
    /// Smaller ones are read in one piece.
    private static let lookBytes: Int64 = 8 << 20
    /// Bytes for which a store that was too slow is asked on at once.
    private static let slowBytes: Int64 = 4 << 20

    let drives: any DriveOperations
    let library: any TransferLibrary
    let transfer: DriveTransfer
    let path: DrivePath
    let count: TransferCount
    /// Bytes that the file may have, whether the store tells its size or not; more are `DriveProblem.tooLarge`.
    let maxBytes: Int64

    /// The bytes that came so far, of one state of the file.
    private final class Intake: GrowingFile {
        private let writer: any UploadWriter
        /// The file of a large one, to which another process may append.
        private let file: (any GrowingFile)?
        /// The size that the store tells.
        private let limit: Int64?
        private let maxBytes: Int64
        private let count: TransferCount
        private let taken: Mutex<Int64>

        init(_ writer: any UploadWriter, limit: Int64?, maxBytes: Int64, _ count: TransferCount) {
            (self.writer, self.limit, self.maxBytes, self.count) = (writer, limit, maxBytes, count)
            taken = Mutex(writer.size)
            file = limit.flatMap { $0 > FilePull.lookBytes ? writer.growing(to: $0) : nil }
        }

        var growing: (any GrowingFile)? { file == nil ? nil : self }

        var size: Int64 { taken.withLock { $0 } }

        func append(_ bytes: UnsafeRawBufferPointer) throws {
            try taken.withLock { taken in
                let size = taken + Int64(bytes.count)
                guard limit.map({ size <= $0 }) ?? true else { throw DriveError(.changed) }
                // A store that tells no size may send without end.
                guard size <= maxBytes else { throw DriveError(.tooLarge) }
                try writer.append(bytes)
                taken = size
            }
            count.move(Int64(bytes.count))
        }

        func beginGrowing() throws -> GrowingEnd {
            guard let file else { throw DriveError(.broken, "no file of its own") }
            return try file.beginGrowing()
        }

        func takeGrown() throws -> Int { try counting { try $0.takeGrown() } }

        func endGrowing() throws {
            _ = try counting { file in
                try file.endGrowing()
                return 0
            }
        }

        /// Counts the bytes that `take` has the file take, also before an error.
        private func counting(_ take: (any GrowingFile) throws -> Int) throws -> Int {
            guard let file else { return 0 }
            return try taken.withLock { taken in
                defer {
                    count.move(file.size - taken)
                    taken = file.size
                }
                let came = try take(file)
                guard limit.map({ file.size <= $0 }) ?? true else { throw DriveError(.changed) }
                return came
            }
        }

        /// Has no other attempt go on with the bytes.
        func giveUp() {
            count.move(-size)
            writer.giveUp()
        }

        func finish(_ entry: DriveEntry) throws -> StagedUpload {
            try writer.finish(contentType: entry.contentType.flatMap(Self.mediaType) ?? "application/octet-stream")
        }

        /// A media type of a store, if it is one (RFC 6838 §4.2).
        private static func mediaType(_ text: String) -> String? {
            let parts = text.prefix { $0 != ";" }.trimmed.split(separator: "/", omittingEmptySubsequences: false)
            let isType =
                parts.count == 2
                && parts.allSatisfy { part in
                    (1...127).contains(part.utf8.count)
                        && part.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "!#$&-^_.+".utf8.contains($0) }
                }
            return isType ? parts.joined(separator: "/") : nil
        }
    }

    /// The whole file, with the state of it that was read. Throws `DriveError` with `changed` when it does not hold
    /// still, or is not what the store says.
    func run(_ entry: DriveEntry) async throws -> (upload: StagedUpload, entry: DriveEntry) {
        var (entry, failures, isKnown) = (entry, 0, false)
        var intake = try await begin(entry)
        while true {
            let before = intake.size
            do {
                let last = try await read(entry, intake)
                try await check(intake, entry, last)
                let upload = try await DispatchQueue.runAlone("fundmail.drive") { [intake, entry] in
                    try intake.finish(entry)
                }
                guard entry.digest.map({ $0 == upload.digest }) ?? true else {
                    throw DriveError(.changed, "the SHA-256 is not the one that the store tells")
                }
                return (upload, entry)
            } catch {
                let problem = (error as? DriveError)?.problem
                // A store that asks for a pause is not asked again at once.
                let isCut = problem == .changed || (error as? DriveError)?.isTemporary == true && problem != .busy
                let least = problem == .tooSlow ? Self.slowBytes : 1
                failures = intake.size - before >= least && problem != .changed ? 1 : failures + 1
                guard isCut, failures < Self.maxAttempts, !Task.isCancelled else {
                    end(intake, after: error)
                    // The store told of the file meanwhile: the others may go.
                    guard isKnown, problem == .unreachable else { throw error }
                    throw DriveError(.server, "it was cut each time")
                }
                let now = try await look(orElse: intake)
                isKnown = true
                if !now.isSame(as: entry) || problem == .changed {
                    intake.giveUp()
                    entry = now
                    intake = try await begin(now)
                }
            }
        }
    }

    private func read(_ entry: DriveEntry, _ intake: Intake) async throws -> DriveEntry? {
        if let size = entry.size, let file = intake.growing {
            return try await drives.read(path, size: size, of: transfer.drive, transfer.user, into: file)
        }
        return try await drives.read(
            path, from: intake.size, size: entry.size, of: transfer.drive, transfer.user
        ) { try intake.append($0) }
    }

    private func begin(_ entry: DriveEntry) async throws -> Intake {
        guard entry.size ?? 0 <= maxBytes else { throw DriveError(.tooLarge) }
        // The store asks again when the file is there; it need not come in vain.
        if let size = entry.size, let left = try await library.storageUse(of: transfer.user).left, left < size {
            throw DriveError(.overQuota)
        }
        let name = path.name ?? entry.name
        let part = PulledPart(of: path, entry, in: transfer.id)
        return try await DispatchQueue.runAlone("fundmail.drive") { [library, count, maxBytes] in
            var came: Int64 = 0
            do {
                let writer: any UploadWriter =
                    if let part {
                        try library.resumeUpload(of: part, named: name) { bytes in
                            came += Int64(bytes)
                            count.move(Int64(bytes))
                        }
                    } else { try library.makeUpload(named: name, announcing: entry.size) }
                return Intake(writer, limit: entry.size, maxBytes: maxBytes, count)
            } catch {
                count.move(-came)
                throw error
            }
        }
    }

    /// Ends an attempt that failed. Its bytes stay for the next one where that may find the same file: after a pause,
    /// or in another process.
    private func end(_ intake: Intake, after error: any Error) {
        let isForNow =
            switch error {
            case is CancellationError: true
            case let error as DriveError: error.isTemporary || error.problem == .noRoomHere
            case let error as StoreError: error.isTemporary
            default: false
            }
        if isForNow { count.move(-intake.size) } else { intake.giveUp() }
    }

    /// - Parameter last: the file as it was when all bytes had come; nil where the store was not asked.
    private func check(_ intake: Intake, _ entry: DriveEntry, _ last: DriveEntry?) async throws {
        if let size = entry.size, size != intake.size {
            throw DriveError(.changed, "\(intake.size) bytes came of \(size)")
        }
        guard entry.digest == nil, last != nil || intake.size >= Self.lookBytes else { return }
        let now =
            if let last { last } else { try await drives.entry(at: path, of: transfer.drive, transfer.user) }
        guard now.isSame(as: entry) else { throw DriveError(.changed) }
    }

    /// The file as it is now.
    private func look(orElse intake: Intake) async throws -> DriveEntry {
        do { return try await drives.entry(at: path, of: transfer.drive, transfer.user) } catch {
            end(intake, after: error)
            throw error
        }
    }
}

extension DriveEntry {
    /// Whether the content is the same, as far as the store tells.
    func isSame(as other: DriveEntry) -> Bool {
        !isFolder && !other.isFolder && size == other.size && version == other.version && digest == other.digest
            && modifiedAt == other.modifiedAt && storeID == other.storeID
    }

    /// Whether size and time are the same: some stores tell more of one file than in a list.
    func hasTime(of other: DriveEntry) -> Bool { size == other.size && modifiedAt == other.modifiedAt }
}
