import FundCore
import Glibc
import Terminal

/// A file that a command writes as a whole: readers see the file before it, or all of the new one.
enum OutputFile {
    /// With mode 0600. Throws `CommandError`; then nothing of it is left.
    static func write(_ bytes: [UInt8], to path: String) throws {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let draft = "\(folder)/\(DiskDirectory.uniqueName(prefix: ".fundmail"))"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw error(path, errno) }
        var isDone = false
        defer {
            close(descriptor)
            if !isDone { unlink(draft) }
        }
        let isWritten = bytes.withUnsafeBytes {
            SystemCall.writeAll($0) { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
        guard isWritten, fsync(descriptor) == 0, rename(draft, path) == 0 else { throw error(path, errno) }
        isDone = true
    }

    private static func error(_ path: String, _ code: Int32) -> CommandError {
        CommandError(.cannotCreate, "\(path) cannot be written: \(SystemText.of(code)).")
    }
}
