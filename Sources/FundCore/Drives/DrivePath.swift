/// A place in a drive: names from its top, whatever the store itself calls them. The empty path is the top. Names are
/// compared by their bytes.
package struct DrivePath: Sendable, Hashable, CustomStringConvertible {
    package private(set) var names: [String]

    package static let top = DrivePath(checked: [])

    /// The longest path in bytes, and the longest name: what stores and disks take.
    package static let maxBytes = 4096
    package static let maxNameBytes = 1024

    /// Creates a path of names. Nil with a name that is empty, `.`, `..`, too long, or holds `/` or NUL, and for a path
    /// that is too long.
    package init?(_ names: [String]) {
        guard names.allSatisfy(Self.isName), names.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.maxBytes else {
            return nil
        }
        self.init(checked: names)
    }

    private init(checked names: [String]) { self.names = names }

    /// Reads a path with slashes; those at both ends do not count. Nil for names that no path has.
    package init?(_ text: String) {
        // By bytes: with a combining mark behind it, a slash is no character of its own.
        self.init(text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) })
    }

    package static func == (a: DrivePath, b: DrivePath) -> Bool {
        a.names.elementsEqual(b.names) { ExactName($0) == ExactName($1) }
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(names.map(ExactName.init)) }

    /// Whether a file or folder can have the name.
    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= maxNameBytes
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// The path of an entry in this folder. Nil for a name that no path has, and for a path that is too long.
    package func appending(_ name: String) -> DrivePath? { DrivePath(names + [name]) }

    /// Whether it is a folder's path, or stands in that folder, or in one below it.
    package func isWithin(_ folder: DrivePath) -> Bool {
        names.starts(with: folder.names) { ExactName($0) == ExactName($1) }
    }

    /// The folder that holds it; nil at the top.
    package var parent: DrivePath? { names.isEmpty ? nil : DrivePath(Array(names.dropLast())) }
    /// The last name; nil at the top.
    package var name: String? { names.last }

    /// The names between slashes, without one at either end.
    package var description: String { names.joined(separator: "/") }
}
