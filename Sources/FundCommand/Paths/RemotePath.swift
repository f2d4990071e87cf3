import ArgumentParser

/// The path that people write for a thing on a server: `FUND` or `FUND/FOLDER/FILE`.
///
/// Empty segments and `.` count for nothing, wherever they stand: `/Fund1//a.pdf/` is `Fund1/a.pdf`. `..` is refused: a
/// fund may have slashes in its name, so it is not clear what lies above.
struct RemotePath: Hashable, CustomStringConvertible {
    var fund: String
    /// Names below the fund.
    var names: [String]
    /// Whether a slash was written at the end, as behind the name of a folder.
    var isOfFolder = false

    init(fund: String, names: [String] = []) {
        self.fund = fund
        self.names = names
    }

    /// Throws `ValidationError` for a path that names nothing, and for one with `..` in it.
    init(_ text: String) throws {
        guard let path = try Self.orTop(text) else {
            throw ValidationError("“\(text)” names no fund: a path is FUND or FUND/FOLDER/FILE")
        }
        self = path
    }

    /// A path that may be that of all funds: nil for `/`. Throws `ValidationError` for one with `..` in it.
    static func orTop(_ text: String) throws -> RemotePath? {
        let segments = segments(of: text)
        guard !segments.contains("..") else {
            throw ValidationError("“..” cannot stand in a path: write it from the fund on, as FUND/FOLDER/FILE")
        }
        guard let fund = segments.first else { return nil }
        var path = RemotePath(fund: fund, names: Array(segments.dropFirst()))
        path.isOfFolder = text.last == "/"
        return path
    }

    /// A name that may have slashes in it, as it is compared: without what counts for nothing in paths.
    static func plain(_ name: String) -> String { segments(of: name).joined(separator: "/") }

    private static func segments(of text: String) -> [String] {
        text.split(separator: "/", omittingEmptySubsequences: true).map(String.init).filter { $0 != "." }
    }

    /// The ways to read it, by how much of it is the name of the fund.
    var readings: [RemotePath] {
        (0...names.count).map { count in
            RemotePath(
                fund: ([fund] + names.prefix(count)).joined(separator: "/"), names: Array(names.dropFirst(count)))
        }
    }

    var description: String { ([fund] + names).joined(separator: "/") }
    var name: String { names.last ?? fund }
    /// Nil for a fund.
    var parent: RemotePath? { names.isEmpty ? nil : RemotePath(fund: fund, names: Array(names.dropLast())) }

    func appending(_ name: String) -> RemotePath { RemotePath(fund: fund, names: names + [name]) }
}
