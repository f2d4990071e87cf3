internal import FundCore

/// Reads a listing while it comes: one entry a line, in a list of JSON.
struct EntryLines {
    /// Limit of a line: a path and what belongs to it.
    private static let maxLineBytes = 64 << 10

    private var line: [UInt8] = []

    init() {}

    /// Gives each entry that `bytes` complete to `take`. Throws what it throws, and `server` for what is no listing.
    mutating func read(_ bytes: UnsafeRawBufferPointer, _ take: (ListedEntry) throws -> Void) throws {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: .lf) {
            line += rest[..<end]
            rest = rest[(end + 1)...]
            defer { line.removeAll(keepingCapacity: true) }
            while let last = line.last, last == .comma || last == .cr { line.removeLast() }
            guard line.count > 1 else { continue }
            guard let entry = ListedEntry.read(line) else { throw DriveError(.broken, "a listing") }
            try take(entry)
        }
        line += rest
        guard line.count <= Self.maxLineBytes else { throw DriveError(.broken, "a listing") }
    }
}
