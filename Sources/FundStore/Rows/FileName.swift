import FundCore

/// Display names that are unique in a folder.
enum FileName {
    /// How names are compared: NFC, without regard to case, as the funds' are.
    static func key(_ name: String) -> String {
        name.nfc.caseFolded.nfc
    }

    /// `name`, or `stem(1).ext`, `stem(2).ext` … Asks by doubling and then halving, so that ten thousand files of one
    /// name cost some thirty questions; while the numbers have no gaps, the next one comes out.
    static func free(_ name: String, isTaken: (_ key: String) throws -> Bool) rethrows -> String {
        guard try isTaken(key(name)) else { return name }
        let (stem, suffix) = split(name)
        func numbered(_ number: Int) -> String { "\(stem)(\(number))\(suffix)" }
        var (taken, free) = (0, 1)
        while try isTaken(key(numbered(free))) { (taken, free) = (free, free * 2) }
        while free - taken > 1 {
            let middle = (taken + free) / 2
            if try isTaken(key(numbered(middle))) { taken = middle } else { free = middle }
        }
        return numbered(free)
    }

    /// The extension with its dot goes apart; a leading dot begins no extension.
    static func split(_ name: String) -> (stem: String, suffix: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return (name, "") }
        return (String(name[..<dot]), String(name[dot...]))
    }
}
