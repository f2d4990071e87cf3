internal import FundCore

/// The text of one resource of an address book.
enum CardText {
    /// Properties that no list of contacts keeps, and that may have megabytes.
    private static let leftOut: Set<String> = ["photo", "logo", "sound", "key"]

    /// The text with line ends and without pictures and the like. Empty for a text in which a card does not end, of
    /// which what follows it in a file would become part, and for one with a NUL, which would make the file binary
    /// data.
    static func cleaned(_ text: String) -> [UInt8] {
        guard !text.utf8.contains(0) else { return [] }
        var bytes: [UInt8] = []
        var (begun, ended, isLeftOut) = (0, 0, false)
        for line in text.utf8.split(whereSeparator: { $0 == .lf || $0 == .cr }) {
            // A line that goes on (RFC 6350 §3.2) shares the fate of its beginning.
            if line.first.map(ASCII.isBlank) != true {
                let name = ASCII.lowercased(line.prefix { $0 != .colon && $0 != .semicolon })
                isLeftOut = leftOut.contains(name.split(separator: ".").last.map(String.init) ?? "")
                let whole = ASCII.lowercased(line.prefix(64)).trimmed
                if whole == "begin:vcard" { begun += 1 }
                if whole == "end:vcard" { ended += 1 }
                guard ended <= begun else { return [] }
            }
            if !isLeftOut {
                bytes += line
                bytes += [.cr, .lf]
            }
        }
        return begun == ended && begun > 0 ? bytes : []
    }
}
