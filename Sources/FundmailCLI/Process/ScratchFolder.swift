import Glibc
import FundCore
import Terminal

/// A private directory for temporary files; it is removed with its content.
final class ScratchFolder: Sendable {
    let path: String

    /// The folder in which temporary files lie.
    static var parent: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    init() throws {
        let parent = Self.parent
        var template = Array("\(parent)/fundmail-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Self.notMade(errno) }
        path = String(cString: made)
    }

    /// The error of a folder that cannot be made in `parent`.
    static func notMade(_ code: Int32) -> CommandError {
        CommandError(
            .cannotCreate,
            "No temporary folder can be made in \(parent): \(SystemText.of(code)); set TMPDIR to another.")
    }

    /// Writes a file, and gives its path. Throws `CommandError`.
    func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        guard let stream = fopen(file, "wxe") else { throw Self.error(errno) }
        let isWritten = fputs(text, stream) >= 0
        guard fclose(stream) == 0, isWritten else { throw Self.error(errno) }
        return file
    }

    private static func error(_ code: Int32) -> CommandError {
        CommandError(.cannotCreate, "A temporary file cannot be written: \(SystemText.of(code)).")
    }

    deinit {
        for name in (try? DiskDirectory.names(in: path)) ?? [] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}
