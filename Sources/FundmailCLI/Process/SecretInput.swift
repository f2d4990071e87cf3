import FundCore
import Glibc

/// Reads a new password from a terminal or from standard input.
enum SecretInput {
    private static let maxBytes = 4096

    /// At a terminal asks twice, without showing what is typed; else the first line of standard input.
    static func newPassword(for name: String) throws -> String {
        guard isatty(STDIN_FILENO) == 1 else { return try line() }
        let first = try ask("New password of \(TerminalText.clean(name)): ")
        guard try ask("The same again: ") == first else {
            throw CommandError(.input, "The two are not the same; nothing was changed.")
        }
        return first
    }

    private static func line() throws -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count <= maxBytes {
            let count = SystemCall.retrying { read(STDIN_FILENO, &byte, 1) }
            guard count > 0, byte != 10 else { break }
            bytes.append(byte)
        }
        if bytes.last == 13 { bytes.removeLast() }
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
        var byte: UInt8 = 0
        while bytes.count <= maxBytes {
            let count = SystemCall.retrying { read(STDIN_FILENO, &byte, 1) }
            guard count > 0 else { return try text(bytes) }
            switch byte {
            case 3: throw CommandError(.temporary, "Interrupted; nothing was changed.")
            case 4, 10, 13: return try text(bytes)
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
        guard bytes.count <= maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.input, "That is not a line of text in UTF-8.")
        }
        guard !text.isEmpty else { throw CommandError(.input, "No password was given; nothing was changed.") }
        return text
    }
}
