import Terminal

/// Names of servers as names of files on this machine.
enum LocalName {
    private static let maxBytes = 255

    /// Throws `CommandError` for a name that would be a path, or that no file can have.
    static func check(_ name: String) throws(CommandError) -> String {
        let isPath =
            name.isEmpty || name == "." || name == ".." || name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        guard !isPath, name.utf8.count <= maxBytes else {
            throw CommandError(.cannotCreate, "No file of this machine can be called “\(name)”.")
        }
        return name
    }
}
