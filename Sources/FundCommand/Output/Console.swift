internal import Glibc

/// Standard output and standard error.
enum Console {
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }
    static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Columns of the terminal on standard output; nil when it is none.
    static var outputWidth: Int? { width(STDOUT_FILENO) }
    /// Columns of the terminal on standard error; nil when it is none.
    static var errorWidth: Int? { width(STDERR_FILENO) }

    private static func width(_ descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Throws `CommandError` when standard output cannot be written.
    static func write(_ bytes: [UInt8]) throws {
        let number = put(bytes, to: STDOUT_FILENO)
        // The reader has enough, as `head` has: no mistake that people want to hear of.
        if number == EPIPE { exit(ExitStatus.outputFailed.rawValue) }
        guard number == 0 else {
            throw CommandError(.outputFailed, "The output cannot be written: \(String(cString: strerror(number))).")
        }
    }

    /// One line of what is asked for. Escapes of terminals in it become harmless.
    static func line(_ text: String = "") throws { try write(Array((TerminalText.clean(text) + "\n").utf8)) }

    /// Failures to write are ignored: there is no other place to report them.
    static func error(_ text: String) { _ = put(Array(text.utf8), to: STDERR_FILENO) }

    /// Says why something failed.
    static func report(_ error: CommandError) { Console.error("fund: \(TerminalText.clean(error.message))\n") }

    /// 0 or errno.
    private static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return errno }
            written += count
        }
        return 0
    }
}
