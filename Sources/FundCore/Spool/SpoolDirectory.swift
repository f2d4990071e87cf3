internal import Glibc
internal import Synchronization

/// The folder in which large messages and files are written while they come; on the store's file system.
package struct SpoolDirectory: Sendable {
    package let path: String
    package let faults: FaultInjection
    /// Of new files; nil for that of the process.
    package let owner: FileOwner?
    /// Of the store, so that fingerprints can be compared with those in it.
    package let fingerprintKey: FingerprintKey?
    /// Throws when the store does not admit this many more bytes, even if the disk has room for them.
    package let require: @Sendable (_ bytes: Int64) throws(SpoolError) -> Void

    package init(
        path: String, faults: FaultInjection = .none, owner: FileOwner? = nil, fingerprintKey: FingerprintKey? = nil,
        require: @escaping @Sendable (_ bytes: Int64) throws(SpoolError) -> Void = { _ in }
    ) {
        self.path = path
        self.faults = faults
        self.owner = owner
        self.fingerprintKey = fingerprintKey
        self.require = require
    }

    /// Another folder, for messages that are compared with those of the same store and do not come into it.
    package func elsewhere(_ path: String) -> SpoolDirectory {
        SpoolDirectory(path: path, fingerprintKey: fingerprintKey)
    }

    /// For the bytes of a message that comes.
    ///
    /// - Parameter size: how many they will be, as far as that is known.
    package func makeWriter(expecting size: Int64 = 0) -> SpoolWriter { SpoolWriter(in: self, expecting: size) }

    /// A file without a name, to write and read.
    func openNameless() throws(SpoolError) -> Int32 {
        let descriptor = try NamelessFile.open(in: path)
        do throws(SpoolError) { try owner?.take(descriptor, path: path) } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Unique on this machine: 128 random bits for the process, and a number.
    package static func uniqueName(prefix: String) -> String {
        let number = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)-\(processName)-\(String(number, radix: 16))"
    }

    private static let counter = Atomic<UInt64>(0)

    private static let processName: String = {
        var generator = SystemRandomNumberGenerator()
        let (high, low): (UInt64, UInt64) = (generator.next(), generator.next())
        return String(high, radix: 16) + String(low, radix: 16)
    }()
}

/// A failure of the file system under the spool or the store.
package struct SpoolError: OperationalError, Sendable, CustomStringConvertible {
    package var operation: String
    package var path: String
    /// `errno`, see errno(3).
    package var code: Int32

    package init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The disk is full, or a quota or a file size limit is reached: space must be made before anything goes on.
    package var isOutOfSpace: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    package var condition: ErrorCondition { isOutOfSpace ? .outOfSpace : .storage }
    package var isTemporary: Bool { true }

    package var description: String {
        "\(operation) \(path): \(String(cString: strerror(code)))\(ownerHint)\(inodeHint)"
    }

    /// A disk can have bytes left and no room for another file.
    private var inodeHint: String {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        return code == ENOSPC && DiskInodes.areUsedUp(at: folder) ? "; \(DiskInodes.advice)" : ""
    }

    /// Why it is not permitted: `sudo` is the usual reason.
    private var ownerHint: String {
        guard [EACCES, EPERM].contains(code) else { return "" }
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        for place in [path, folder] {
            var status = stat()
            guard lstat(place, &status) == 0 else { continue }
            guard status.st_uid != geteuid() else { return "" }
            return "; \(place == path ? "it" : place) belongs to \(UserName.of(status.st_uid))"
        }
        return ""
    }
}
