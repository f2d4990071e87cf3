import FundCore
import Synchronization
import TestSupport

@testable import FundServer

/// A store in memory, which every drive shows.
final class SampleDrives: DriveOperations {
    private let files = Mutex<[DrivePath: [UInt8]?]>([:])
    /// Folders that were listed at the store.
    let listings = Mutex<[String]>([])
    /// Runs in a listing after the folder was read, before its entries are given; nil for nothing.
    let afterReading = Mutex<(@Sendable () async -> Void)?>(nil)
    /// Questions for the room.
    let spacesAsked = Atomic<Int>(0)
    /// The failure of every operation; nil for none.
    let failure = Mutex<DriveProblem?>(nil)

    var offReason: String? { nil }
    var kinds: [DriveKind] { [.webdav, .b2] + signInKinds }
    /// Kinds with pages where people sign in.
    private let signInKinds: [DriveKind]

    /// - Parameter files: nil for a folder.
    init(_ files: [String: [UInt8]?], signInKinds: [DriveKind] = []) {
        self.signInKinds = signInKinds
        self.files.withLock { tree in
            for (name, bytes) in files { tree[DrivePath(name) ?? .top] = bytes }
        }
    }

    private func fail() throws {
        if let problem = failure.withLock({ $0 }) { throw DriveError(problem) }
    }

    private static func entry(_ path: DrivePath, _ bytes: [UInt8]?) -> DriveEntry {
        DriveEntry(
            name: path.name ?? "", isFolder: bytes == nil, size: bytes.map { Int64($0.count) },
            modifiedAt: bytes == nil ? nil : 1_700_000_000)
    }

    func check(_ settings: DriveSettings) throws {
        try fail()
        guard settings["key"] ?? settings["pass"] ?? settings.token == "right" else { throw DriveError(.login) }
    }

    func entries(in folder: DrivePath, of drive: Drive.ID, _ user: User.ID) async throws -> [DriveEntry] {
        try fail()
        let entries = files.withLock { $0.filter { $0.key.parent == folder } }.map(Self.entry)
        listings.withLock { $0.append(folder.description) }
        await afterReading.withLock { $0 }?()
        return entries
    }

    func entry(at path: DrivePath, of drive: Drive.ID, _ user: User.ID) throws -> DriveEntry {
        try fail()
        guard let bytes = files.withLock({ $0[path] }) else { throw DriveError(.notFound) }
        return Self.entry(path, bytes)
    }

    func find(
        _ text: String, below folder: DrivePath, atMost count: Int, of drive: Drive.ID, _ user: User.ID
    ) throws -> [(path: DrivePath, entry: DriveEntry)] {
        try fail()
        let found = files.withLock { $0.filter { $0.key.name?.caseFolded.contains(text.caseFolded) ?? false } }
        return found.map { ($0.key, Self.entry($0.key, $0.value)) }
    }

    func space(of drive: Drive.ID, _ user: User.ID) throws -> DriveSpace {
        spacesAsked.add(1, ordering: .relaxed)
        try fail()
        return DriveSpace(total: 2_000_000, used: 500_000, free: 1_500_000)
    }

    func read(
        _ path: DrivePath, from position: Int64, size: Int64?, of drive: Drive.ID, _ user: User.ID,
        take: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) throws -> DriveEntry? {
        guard let bytes = files.withLock({ $0[path] }) ?? nil else { throw DriveError(.notFound) }
        for start in stride(from: 0, to: bytes.count, by: 10_000) {
            try bytes[start..<min(start + 10_000, bytes.count)].withUnsafeBytes(take)
        }
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
    ) throws {
        throw DriveError(.refused)
    }

    func makeFolder(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) throws {
        try fail()
        files.withLock { $0[path] = .some(.none) }
    }

    func move(_ path: DrivePath, to target: DrivePath, of drive: Drive.ID, _ user: User.ID) throws {
        try fail()
        try files.withLock { files in
            guard files[target] == nil else { throw DriveError(.alreadyExists) }
            guard let bytes = files.removeValue(forKey: path) else { throw DriveError(.notFound) }
            files[target] = bytes
        }
    }

    func remove(_ path: DrivePath, of drive: Drive.ID, _ user: User.ID) throws {
        try fail()
        files.withLock { files in
            files = files.filter { !$0.key.isWithin(path) }
        }
    }
}
