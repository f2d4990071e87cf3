internal import Glibc

extension String {
    /// The text as the store keeps it, with U+FFFD instead of each NUL. SQLite's functions and readers in C would end
    /// at one, and PostgreSQL refuses the whole statement. Broken UTF-8 cannot stand in a `String`.
    package var cleaned: String {
        var text = self
        let hasNUL = text.withUTF8 { bytes in bytes.baseAddress.map { memchr($0, 0, bytes.count) != nil } ?? false }
        guard hasNUL else { return self }
        return String(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) })
    }
}
