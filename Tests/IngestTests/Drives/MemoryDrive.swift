import FundCore
import Synchronization
import TestSupport

/// A cloud store in memory, which can be told to fail as real ones do.
final class MemoryDrive: DriveOperations {
    struct File {
        var bytes: [UInt8]
        var version = 1
        /// The size that the store tells; nil for the real one.
        var toldSize: Int64?
        var toldDigest: ContentDigest?
        /// Whether the store tells no size.
        var hidesSize = false
        var storeID: String?
        var modifiedAt: Timestamp = 1_000
        /// Whether the version is a checksum.
        var hasChecksum = false
    }

    struct State {
        var files: [String: File] = [:]
        var folders: Set<String> = []
        /// Folders that the store refuses to list.
        var unlisted: Set<String> = []
        /// Names that every folder lists as well.
        var oddNames: [String] = []
        /// Positions at which the next reads of a file end with a failure.
        var cuts: [String: [Int]] = [:]
        /// Files that take the place of others when a read of those is cut.
        var successors: [String: File] = [:]
        /// Called before a folder is listed.
        var beforeListing: (@Sendable (String) async throws -> Void)?
        /// Called before a read, with its position.
        var beforeRead: (@Sendable (String, Int64) async throws -> Void)?
        /// Called before the first byte of a file comes.
        var beforeWrite: (@Sendable (String) throws -> Void)?
        /// Called when a file stands under its name.
        var afterWrite: (@Sendable (String) throws -> Void)?
        /// Called before a file is moved, with its path.
        var beforeMove: (@Sendable (inout State, String) -> Void)?
        /// Whether moves succeed and do nothing.
        var ignoresMoves = false
        /// Called when a file has been moved.
        var afterMove: (@Sendable (String) async throws -> Void)?
        /// Changes what the store tells of one file, and not in lists.
        var tell: (@Sendable (inout DriveEntry) -> Void)?
        /// Whether a move changes the version, as where the time of the change is taken for that of the content.
        var movesAnew = false
        /// The failure of listings; nil for none.
        var listingProblem: DriveProblem?
        /// Calls that the store refuses with 429.
        var refusals = 0
        /// Begins of reads, in their order.
        var reads: [String] = []
        var writes: [String] = []
    }

    let state: Mutex<State>
    let offReason: String? = nil
    let kinds = DriveKind.allCases

    init(_ files: [String: String] = [:]) {
        state = Mutex(State(files: files.mapValues { File(bytes: Array($0.utf8)) }))
    }

    func text(_ path: String) -> String? {
        state.withLock { $0.files[path].map { String(decoding: $0.bytes, as: UTF8.self) } }
    }

    private func call<Value>(_ body: (inout State) throws -> Value) throws -> Value {
        try state.withLock { state in
            guard state.refusals == 0 else {
                state.refusals -= 1
                throw DriveError(.busy)
            }
            return try body(&state)
        }
    }

    private static func entry(_ name: String, _ file: File) -> DriveEntry {
        DriveEntry(
            name: name, isFolder: false, size: file.hidesSize ? nil : file.toldSize ?? Int64(file.bytes.count),
            modifiedAt: file.modifiedAt, storeID: file.storeID, version: "\(file.version)",
            digest: file.toldDigest, contentType: "text/plain; charset=utf-8", hasChecksum: file.hasChecksum)
    }

    func check(_ settings: DriveSettings) async throws {}

    func entries(in folder: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> [DriveEntry] {
        try await state.withLock { $0.beforeListing }?("\(folder)")
        return try call { state in
            if let problem = state.listingProblem { throw DriveError(problem) }
            guard !state.unlisted.contains("\(folder)") else { throw DriveError(.refused) }
            let prefix = folder == .top ? "" : "\(folder)/"
            var entries: [String: DriveEntry] = [:]
            for path in state.folders.union(state.unlisted) where path.hasPrefix(prefix) {
                let name = String(path.dropFirst(prefix.count).prefix { $0 != "/" })
                if !name.isEmpty { entries[name] = DriveEntry(name: name, isFolder: true) }
            }
            for name in state.oddNames { entries[name] = DriveEntry(name: name, isFolder: false, size: 1) }
            for (path, file) in state.files where path.hasPrefix(prefix) {
                let rest = path.dropFirst(prefix.count)
                let name = String(rest.prefix { $0 != "/" })
                entries[name] =
                    rest.contains("/") ? DriveEntry(name: name, isFolder: true) : Self.entry(name, file)
            }
            guard !entries.isEmpty || folder == .top || state.folders.contains("\(folder)") else {
                throw DriveError(.notFound)
            }
            return entries.values.sorted { $0.name < $1.name }
        }
    }

    func entry(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry {
        try call { state in
            let name = path.name ?? ""
            if let file = state.files["\(path)"] {
                var entry = Self.entry(name, file)
                state.tell?(&entry)
                return entry
            }
            guard state.files.keys.contains(where: { $0.hasPrefix("\(path)/") }) else { throw DriveError(.notFound) }
            return DriveEntry(name: name, isFolder: true)
        }
    }

    func find(
        _ text: String, below folder: DrivePath, atMost count: Int, of drive: Drive.ID, _ user: User.ID
    ) async throws -> [(path: DrivePath, entry: DriveEntry)] { [] }

    func space(of drive: Drive.ID, _ user: User.ID) async throws -> DriveSpace { DriveSpace() }

    func read(
        _ path: DrivePath, from position: Int64, size: Int64?, of drive: Drive.ID, _ user: User.ID,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> DriveEntry? {
        try await state.withLock { $0.beforeRead }?("\(path)", position)
        let (bytes, cut) = try call { state in
            state.reads.append("\(path) \(position)")
            guard let file = state.files["\(path)"] else { throw DriveError(.notFound) }
            let cut = state.cuts["\(path)"]?.isEmpty == false ? state.cuts["\(path)"]?.removeFirst() : nil
            if cut != nil, let successor = state.successors["\(path)"] { state.files["\(path)"] = successor }
            return (file.bytes, cut)
        }
        let end = min(cut ?? bytes.count, bytes.count)
        let step = max(3, bytes.count / 1000)
        for start in stride(from: Int(position), to: end, by: step) {
            try bytes[start..<min(start + step, end)].withUnsafeBytes(take)
        }
        if cut != nil { throw DriveError(.broken, "cut") }
        guard size == nil || size == Int64(end) else { throw DriveError(.changed) }
        return nil
    }

    func file(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> DriveEntry? {
        try await fileOfEntry(at: path, of: drive, user)
    }

    func read(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID, into file: any GrowingFile
    ) async throws -> DriveEntry? { try await append(path, size: size, of: drive, user, to: file) }

    func write(
        _ path: DrivePath, size: Int64, of drive: Drive.ID, _ user: User.ID,
        fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws -> Int
    ) async throws {
        try call { $0.beforeWrite }?("\(path)")
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 5))
        while true {
            let count = try buffer.withUnsafeMutableBytes(fill)
            guard count > 0 else { break }
            bytes += buffer.prefix(count)
        }
        guard Int64(bytes.count) == size else { throw DriveError(.changed) }
        let hook = try state.withLock { state in
            guard state.files["\(path)"] == nil else { throw DriveError(.alreadyExists) }
            state.files["\(path)"] = File(bytes: bytes)
            state.writes.append("\(path)")
            return state.afterWrite
        }
        try hook?("\(path)")
    }

    func makeFolder(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws {
        try call { state in
            guard state.files["\(path)"] == nil else { throw DriveError(.alreadyExists) }
            state.folders.insert("\(path)")
        }
    }

    func move(_ path: DrivePath, to target: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws {
        let hook = try call { state in
            if let hook = state.beforeMove { hook(&state, "\(path)") }
            guard !state.ignoresMoves else { return state.afterMove }
            guard var file = state.files["\(path)"] else { throw DriveError(.notFound) }
            guard state.files["\(target)"] == nil else { throw DriveError(.alreadyExists) }
            if state.movesAnew { file.version += 1000 }
            state.files["\(path)"] = nil
            state.files["\(target)"] = file
            return state.afterMove
        }
        try await hook?("\(path)")
    }

    func remove(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws {}
}
