/// What Windows makes of file names (Microsoft, "Naming Files, Paths, and Namespaces").
package enum WindowsName {
    /// A device, with any extension: `CON`, `con.txt`, `COM1`.
    package static func isDevice(_ name: String) -> Bool {
        let stem = name.prefix { $0 != "." }.uppercased()
        let bare = String(stem.reversed().drop { $0 == " " }.reversed())
        if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$"].contains(bare) { return true }
        guard bare.count == 4, bare.hasPrefix("COM") || bare.hasPrefix("LPT"), let last = bare.last else {
            return false
        }
        return "0123456789¹²³".contains(last)
    }

    /// Whether a program of Windows that asks for this name gets something else: a device, or, since dots and blanks at the end
    /// are dropped, `a` for `a.`.
    package static func leadsElsewhere(_ name: String) -> Bool {
        let last = name.unicodeScalars.last
        return last == "." || last == " " || isDevice(name)
    }
}
