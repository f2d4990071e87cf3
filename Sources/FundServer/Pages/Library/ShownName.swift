/// A file's name in two parts: a narrow list cuts the stem, and never the extension.
struct ShownName {
    /// Longer endings are no extensions.
    private static let maxEndingBytes = 8

    let stem: String
    /// With its dot; empty for a name without an extension.
    let ending: String

    init(_ name: String) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex,
            (2...Self.maxEndingBytes).contains(name[dot...].utf8.count)
        else {
            (stem, ending) = (name, "")
            return
        }
        (stem, ending) = (String(name[..<dot]), String(name[dot...]))
    }
}
