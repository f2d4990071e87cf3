/// The rules of Windows for file names (Microsoft, "Naming Files, Paths, and Namespaces").
package enum WindowsName {
    /// A device, with any extension: `CON`, `con.txt`, `COM1`.
    package static func isDevice(_ name: String) -> Bool {
        // Nearly every name is told by its first letter.
        guard let first = name.utf8.first, firstLetters.contains(first | 0x20) else { return false }
        // By scalars, as Windows reads it: a combining mark behind a dot makes another character of it.
        let stem = name.unicodeScalars.prefix { $0 != "." }
        guard let end = stem.lastIndex(where: { $0 != " " }) else { return false }
        let bare = String(stem[...end]).uppercased()
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(bare) { return true }
        guard bare.unicodeScalars.count == 4, bare.hasPrefix("COM") || bare.hasPrefix("LPT"),
            let last = bare.unicodeScalars.last
        else { return false }
        return "0123456789¹²³".unicodeScalars.contains(last)
    }

    private static let firstLetters = Array("cpanl".utf8)

    /// True when a program of Windows gets something else by this name: a device, or `a` for `a.` and `a `.
    package static func leadsElsewhere(_ name: String) -> Bool {
        let last = name.unicodeScalars.last
        return last == "." || last == " " || isDevice(name)
    }
}
