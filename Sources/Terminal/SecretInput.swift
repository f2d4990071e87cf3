import Glibc

/// Reads a password from a terminal or from standard input.
package enum SecretInput {
    /// Why there is no password.
    package enum Problem: Error {
        /// Control-C was typed.
        case interrupted
        /// The line is too long, or not text in UTF-8.
        case notText
        case empty
    }

    private static let maxBytes = 4096
    private static let (controlC, controlD, controlH, controlU): (UInt8, UInt8, UInt8, UInt8) = (3, 4, 8, 21)
    private static let deletion: UInt8 = 127

    /// Whether a person can be asked.
    package static var isTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Asks at the terminal without showing what is typed; without one takes the next line of standard input.
    ///
    /// It reads byte by byte: the terminal must neither show the line nor end the program, which would leave its echo
    /// off.
    package static func ask(_ prompt: String) throws(Problem) -> String {
        var before = termios()
        guard isTerminal, tcgetattr(STDIN_FILENO, &before) == 0 else { return try line() }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
        Console.error(TerminalText.clean(prompt))
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return try line() }
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
            Console.error("\n")
        }
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes, let byte = nextByte() {
            switch byte {
            case controlC: throw .interrupted
            case controlD, UInt8(ascii: "\n"), UInt8(ascii: "\r"): return try text(bytes)
            case controlH, deletion:
                // A character of UTF-8 goes as a whole.
                while let last = bytes.popLast(), UTF8.isContinuation(last) {}
            case controlU: bytes = []
            default: bytes.append(byte)
            }
        }
        return try text(bytes)
    }

    /// The password that the bytes of a line spell.
    package static func text(_ bytes: [UInt8]) throws(Problem) -> String {
        let bytes = bytes.last == UInt8(ascii: "\r") ? Array(bytes.dropLast()) : bytes
        guard bytes.count <= maxBytes, let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        guard !text.isEmpty else { throw .empty }
        return text
    }

    private static func line() throws(Problem) -> String {
        var bytes: [UInt8] = []
        while bytes.count <= maxBytes, let byte = nextByte(), byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return try text(bytes)
    }

    private static func nextByte() -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? byte : nil
        }
    }
}
