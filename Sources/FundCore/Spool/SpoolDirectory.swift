internal import Glibc

/// The folder in which large messages and files are written while they come; on the store's file system.
package struct SpoolDirectory: Sendable {
    package let path: String
    package let faults: FaultInjection
    /// Owner of new files; nil for that of the process.
    package let owner: FileOwner?
    /// Key of the store, so that fingerprints can be compared with those in it.
    package let fingerprintKey: FingerprintKey?
    /// Throws when the store does not admit this many more bytes, even if the disk has room for them.
    package let require: @Sendable (_ bytes: Int64) throws(DiskError) -> Void

    package init(
        path: String, faults: FaultInjection = .none, owner: FileOwner? = nil, fingerprintKey: FingerprintKey? = nil,
        require: @escaping @Sendable (_ bytes: Int64) throws(DiskError) -> Void = { _ in }
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
    func openNameless() throws(DiskError) -> Int32 {
        let descriptor = try NamelessFile.open(in: path)
        do throws(DiskError) { try owner?.take(descriptor, path: path) } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }
}
