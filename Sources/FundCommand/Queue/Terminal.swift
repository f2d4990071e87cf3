internal import Foundation

/// Where people read.
enum Terminal {
    /// Standard error is a terminal, so that progress may be shown and written over.
    static var showsProgress: Bool { isatty(STDERR_FILENO) == 1 }

    /// Columns; 80 where it does not say.
    static var width: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    static func complain(_ text: String) { FileHandle.standardError.write(Data("fund: \(text)\n".utf8)) }

    static func showProgress(_ text: String) { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }

    /// A name of someone else's, without what a terminal would obey: control characters, and those that turn text around.
    static func harmless(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
