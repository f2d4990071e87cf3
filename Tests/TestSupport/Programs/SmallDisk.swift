internal import Foundation

/// A tmpfs of a given size, or an ext4 in a file; only root may make one.
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

    /// Whether there can be one with an ext4.
    package static let isExt4Possible: Bool = {
        guard isPossible, let disk = try? SmallDisk(ext4Bytes: 8 << 20) else { return false }
        disk.unmount()
        return true
    }()

    /// An ext4 with blocks of 1 KiB, as `mkfs` makes them on a small disk: a page of memory has four.
    package init(ext4Bytes bytes: Int) throws {
        path = FileManager.default.temporaryDirectory.path + "/fundmail-disk-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        do {
            try ToolRun.output(["truncate", "-s", "\(bytes)", image])
            try ToolRun.output(["mkfs.ext4", "-q", "-F", "-b", "1024", "-m", "0", image])
            try ToolRun.output(["mount", "-o", "loop", image, path])
        } catch {
            unlink(image)
            rmdir(path)
            throw error
        }
    }

    private var image: String { path + ".img" }

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

    /// Takes what is left up to so many bytes.
    package func fill(leaving bytes: Int) throws {
        var status = statvfs()
        let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        var size = 0
        while statvfs(path, &status) == 0 {
            let left = Int(status.f_bavail) * Int(status.f_frsize) - bytes
            // A file needs blocks that say where its blocks are.
            guard left > 0, posix_fallocate(descriptor, off_t(size), off_t(max(1024, left / 2))) == 0 else { return }
            size += max(1024, left / 2)
        }
    }

    package func unfill() { unlink(path + "/filler") }

    package func unmount() {
        umount2(path, 2)  // MNT_DETACH: also when something still looks at it
        rmdir(path)
        unlink(image)
    }
}
