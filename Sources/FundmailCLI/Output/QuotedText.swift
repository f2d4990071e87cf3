import FundCore

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

/// Comma-separated values (RFC 4180) that a spreadsheet cannot mistake for formulas.
struct CSVWriter {
    private(set) var text = ""

    mutating func row(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// Controls but white space are removed: a terminal may show the table, and spreadsheets refuse some.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && ![9, 10, 13].contains(scalar.value)
    }

    /// A cell that begins with `= + - @` or a tab or CR would be run by a spreadsheet: an apostrophe makes it text.
    /// Cells are looked at past leading white space, and full-width forms count, because spreadsheets trim and fold.
    static func cell(_ value: String) -> String {
        let clean = String(String.UnicodeScalarView(value.unicodeScalars.filter { !isControl($0) }))
        let first = clean.unicodeScalars.first { $0 != " " && $0 != "\u{A0}" && $0 != "\u{FEFF}" }
        let isFormula = first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
        let safe = isFormula ? "'" + clean : clean
        guard safe.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) || isFormula else {
            return safe
        }
        return "\"" + safe.replacing(scalar: "\"", with: "\"\"") + "\""
    }
}
