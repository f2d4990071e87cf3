internal import Foundation

/// A tmpfs of a given size; only root may make one.
package struct SmallDisk: Sendable {
    package static let isPossible: Bool = {
        guard getuid() == 0, let disk = try? SmallDisk(bytes: 100_000) else { return false }
        disk.unmount()
        return true
    }()

    package let path: String

    /// - Parameter inodes: how many files there can be; nil for as many as the kernel likes.
    package init(bytes: Int, inodes: Int? = nil) throws {
        path = FileManager.default.temporaryDirectory.path + "/fundmail-disk-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let options = "size=\(bytes)" + (inodes.map { ",nr_inodes=\($0)" } ?? "")
        guard mount("fundmail-test", path, "tmpfs", 0, options) == 0 else {
            let code = POSIXErrorCode(rawValue: errno) ?? .EIO
            rmdir(path)
            throw POSIXError(code)
        }
    }

    package func resize(bytes: Int) throws { try remount(0, "size=\(bytes)") }

    package func makeReadOnly() throws { try remount(1, "") }  // MS_RDONLY

    private func remount(_ flags: UInt, _ options: String) throws {
        let remount: UInt = 32  // MS_REMOUNT, macros that Swift does not see
        guard mount("fundmail-test", path, "tmpfs", remount | flags, options) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Takes all that is left, in a file of its own.
    package func fill() throws {
        let file = fopen(path + "/filler", "w")
        let block = [UInt8](repeating: 1, count: 4096)
        while fwrite(block, 1, block.count, file) == block.count, fflush(file) == 0 {}
        if let file { fclose(file) }
    }

    package func unfill() { unlink(path + "/filler") }

    package func unmount() {
        umount2(path, 2)  // MNT_DETACH: also when something still looks at it
        rmdir(path)
    }
}
