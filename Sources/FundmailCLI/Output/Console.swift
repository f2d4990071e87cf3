import FundCore
import Glibc

/// Standard output and standard error.
enum Console {
    static var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns of the terminal on standard output; nil when it is none.
    static var outputWidth: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Throws `CommandError` when standard output cannot be written.
    static func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    static func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }

    static func line(_ text: String = "") throws { try write(text + "\n") }

    /// Failures to write are ignored: there is no other place to report them.
    static func error(_ text: String) {
        var text = text
        text.withUTF8 { _ = put(UnsafeRawBufferPointer($0), to: STDERR_FILENO) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) throws {
        let code = put(bytes, to: STDOUT_FILENO)
        guard code == 0 else {
            throw CommandError(.outputFailed, "The output cannot be written: \(String(cString: strerror(code))).")
        }
    }

    /// 0 or errno.
    private static func put(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        SystemCall.writeAll(bytes) { Glibc.write(descriptor, $0.baseAddress, $0.count) } ? 0 : errno
    }
}
