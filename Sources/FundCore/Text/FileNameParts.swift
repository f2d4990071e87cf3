/// A file's name in two parts: what stands before its extension, and the extension with its dot. A dot at the beginning
/// or at the end of a name begins no extension.
package struct FileNameParts: Sendable, Hashable {
    package let stem: String
    /// With its dot; empty for a name without an extension.
    package let suffix: String

    /// - Parameter maxSuffixBytes: limit of an extension with its dot; a longer one is part of the stem.
    package init(_ name: String, maxSuffixBytes: Int = .max) {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, name.index(after: dot) != name.endIndex,
            name[dot...].utf8.count <= maxSuffixBytes
        else {
            (stem, suffix) = (name, "")
            return
        }
        (stem, suffix) = (String(name[..<dot]), String(name[dot...]))
    }

    /// The extension in lower case, without its dot; empty for a name without one.
    package var fileExtension: String { suffix.dropFirst().lowercased() }
}
