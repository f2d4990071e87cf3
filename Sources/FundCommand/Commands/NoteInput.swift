import Foundation
import FundClient
import Terminal

/// The sources of a note's text.
enum NoteInput {
    static func standardInput() throws -> String {
        if SecretInput.isTerminal { Console.error("The words, then Control-D:\n") }
        guard let text = String(validating: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self) else {
            throw CommandError(.usage, "Standard input is not text in UTF-8.")
        }
        return text
    }

    /// The text after a person has edited it in their editor; without a terminal, standard input.
    static func edited(_ content: String) throws -> String {
        guard SecretInput.isTerminal else { return try standardInput() }
        let environment = ProcessInfo.processInfo.environment
        let editor = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
        let path = try write(content, "fund-note-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(atPath: path) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The editor's name may come with options.
        process.arguments = ["-c", editor + " \"$1\"", "editor", path]
        do {
            try process.run()
        } catch {
            throw CommandError(.cannotCreate, "The editor does not start: \(editor).")
        }
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CommandError(.refused, "The editor failed; nothing was changed.")
        }
        guard let bytes = FileManager.default.contents(atPath: path),
            let text = String(validating: bytes, as: UTF8.self)
        else { throw CommandError(.cannotCreate, "The words cannot be read from \(path).") }
        return text
    }

    /// Keeps words that could not be sent. Nil when that fails, too.
    static func keep(_ words: String, of note: Note) -> String? {
        try? write(words, "fund-note-\(note.id)-\(UUID().uuidString.prefix(8)).txt")
    }

    private static func write(_ text: String, _ name: String) throws -> String {
        let path = (NSTemporaryDirectory() as NSString).appendingPathComponent(name)
        let isWritten = FileManager.default.createFile(
            atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        guard isWritten else { throw CommandError(.cannotCreate, "\(path) cannot be written.") }
        return path
    }
}
