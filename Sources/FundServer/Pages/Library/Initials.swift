internal import FundCore

/// The round mark of a person in a list: initials on a colour.
enum Initials {
    /// Colours of marks, `hue1` and so on.
    private static let hueCount = 8
    /// Bytes of a name that are looked at: a character may be kilobytes, which take quadratic time to compare.
    private static let maxBytes = 200

    /// `AA` for Ann Archer and for ann.archer@example.com, `王` for 王伟.
    static func text(of name: String) -> String {
        let words = name.prefix(bytes: maxBytes).prefix { $0 != "@" }.split { !$0.isLetter }
        guard let first = words.first?.first else { return "?" }
        guard first.isASCII, words.count > 1, let last = words.last?.first, last.isASCII else {
            return first.uppercased()
        }
        return first.uppercased() + last.uppercased()
    }

    /// The class of the colour, the same one for the same name.
    static func hue(of name: String) -> String {
        "hue\(name.lowercased().utf8.reduce(0) { ($0 * 31 + Int($1)) % 1009 } % hueCount + 1)"
    }
}
