import Glibc
import FundCore
import Terminal

/// A private directory for temporary files; it is removed with its content.
final class ScratchFolder: Sendable {
    let path: String

    init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/fundmail-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            let problem = SystemText.of(errno)
            throw CommandError(
                .cannotCreate, "No temporary folder can be made in \(parent): \(problem); set TMPDIR to another.")
        }
        path = String(cString: made)
    }

    deinit {
        for name in (try? DiskDirectory.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
