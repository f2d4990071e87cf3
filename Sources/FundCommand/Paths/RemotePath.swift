internal import ArgumentParser

/// What people write for a thing on a server: `FUND` or `FUND/FOLDER/FILE`.
struct RemotePath: Hashable, CustomStringConvertible, ExpressibleByArgument {
    var fund: String
    /// Below the fund.
    var names: [String]

    init(fund: String, names: [String] = []) {
        self.fund = fund
        self.names = names
    }

    /// Nil when it names nothing, or has a `.` or `..` in it. A slash at the end means nothing.
    init?(argument text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
        guard let fund = parts.first, !text.hasPrefix("/"), !parts.contains("."), !parts.contains("..") else {
            return nil
        }
        self.init(fund: fund, names: Array(parts.dropFirst()))
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
