import FundCore
import Terminal

/// Words of a command line that a person may paste into a shell.
enum ShellWord {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+=:,".utf8)

    /// One word for any POSIX shell. Text may come from mail: controls and bidi controls are taken out (what is shown
    /// is what would run), everything else stands in single quotes, in which a shell interprets nothing.
    static func quoted(_ text: String) -> String {
        let clean = TerminalText.clean(text)
        // zsh expands a word that begins with an equals sign.
        let isPlain = clean.utf8.first.map { $0 != UInt8(ascii: "=") } ?? false
        if isPlain, clean.utf8.allSatisfy(plain.contains) { return clean }
        return "'" + clean.replacing(scalar: "'", with: #"'\''"#) + "'"
    }

    /// A whole command. The caller makes sure that an argument from mail cannot be taken for an option.
    static func command(_ words: [String]) -> String { words.map(quoted).joined(separator: " ") }
}

/// Text from mail inside an HTML page.
enum HTMLText {
    /// Fit for element content and for attribute values in double quotes; controls and bidi controls are taken out.
    static func escaped(_ text: String) -> String {
        TerminalText.clean(text).unicodeScalars.reduce(into: "") { result, scalar in
            if let name = names[scalar] { result += name } else { result.unicodeScalars.append(scalar) }
        }
    }

    private static let names: [Unicode.Scalar: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
    ]
}
