import Glibc

/// Standard output and standard error.
package enum Console {
    /// Width of a terminal that does not tell its own.
    private static let usualWidth = 80
    /// Narrower than this is no terminal for people.
    private static let leastWidth: UInt16 = 20

    /// Whether standard error is a terminal.
    package static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal on standard output; nil when it is none.
    package static var outputWidth: Int? { width(STDOUT_FILENO) }

    /// Columns of the terminal on standard error; nil when it is none.
    static var errorWidth: Int? { width(STDERR_FILENO) }

    private static func width(_ descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > leastWidth else { return usualWidth }
        return Int(size.ws_col)
    }

    /// Writes text to standard output as it is. Throws `CommandError` when that cannot be written.
    package static func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes bytes to standard output. Throws `CommandError` when that cannot be written.
    package static func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

    /// Writes one line to standard output; controls of terminals in it become harmless. Throws `CommandError`.
    package static func line(_ text: String = "") throws { try write(TerminalText.clean(text) + "\n") }

    /// Writes to standard error. Failures are ignored: there is no other place to report them.
    package static func error(_ text: String) {
        var text = text
        text.withUTF8 { _ = put(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) throws {
        let number = put(bytes, to: STDOUT_FILENO)
        guard number == 0 else { throw CommandError(outputFailedWith: number) }
    }

    /// 0 or errno.
    private static func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
