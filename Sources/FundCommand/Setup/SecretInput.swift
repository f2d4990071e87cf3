internal import Foundation
internal import Glibc

/// Reads a password.
enum SecretInput {
    private static let maxBytes = 4096

    /// From a file if one is named, else from `FUND_PASSWORD`, else from the terminal without showing what is typed,
    /// else from the first line of standard input.
    static func password(for name: String, file: String?) throws -> String {
        if let file {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw CommandError(.usage, "The file \(file) cannot be read.")
            }
            return try text(Array(bytes.prefix { $0 != UInt8(ascii: "\n") }))
        }
        if let password = ProcessInfo.processInfo.environment["FUND_PASSWORD"] { return try text(Array(password.utf8)) }
        guard Console.inputIsTerminal else { return try line() }
        return try ask("Password of \(TerminalText.clean(name)): ")
    }

    private static func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? byte : nil
        }
    }

    private static func line() throws -> String {
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes, let byte = nextByte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return try text(bytes)
    }

    /// Byte by byte: the terminal must neither show the line nor end the program, which would leave its echo off.
    private static func ask(_ prompt: String) throws -> String {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return try line() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        Console.error(prompt)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return try line() }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Console.error("\n")
        }
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes, let byte = nextByte() {
            switch byte {
            // Control-C, Control-D, line ends, the two deletions, Control-U.
            case 3: throw CommandError(.tryLater, "Interrupted; you are not signed in.")
            case 4, UInt8(ascii: "\n"), UInt8(ascii: "\r"): return try text(bytes)
            case 8, 127:
                // A character of UTF-8 goes as a whole.
                while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
            case 21: bytes = []
            default: bytes.append(byte)
            }
        }
        return try text(bytes)
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        let bytes = bytes.last == UInt8(ascii: "\r") ? Array(bytes.dropLast()) : bytes
        guard bytes.count <= maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "The password is not a line of text in UTF-8.")
        }
        guard !text.isEmpty else { throw CommandError(.usage, "No password was given.") }
        return text
    }
}
