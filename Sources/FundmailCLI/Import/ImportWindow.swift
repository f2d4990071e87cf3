import FundCore

/// Files of an import that are under way at the same time, and reported in the order in which they began.
///
/// The store writes several uploads at once, and one sync of the disk serves all that wait for one.
final class ImportWindow {
    /// Files at the same time: as many as the store has queues for uploads.
    private static let maxFiles = 4

    /// The import of one file, which gives its result.
    typealias Work = @Sendable () async throws -> ImportOutput.Line

    private struct Entry {
        /// A name that no two files under way share; nil for what is known already.
        let key: Key?
        let task: Task<ImportOutput.Line, any Error>
        var then: ((ImportOutput.Line) -> Void)?
    }

    /// A place with a name as names are compared there.
    struct Key: Hashable {
        let place: LibraryPlace?
        let name: String
    }

    private let report: (ImportOutput.Line) throws -> Void
    private var entries: [Entry] = []

    /// - Parameter report: is given the results in their order.
    init(_ report: @escaping (ImportOutput.Line) throws -> Void) { self.report = report }

    /// Begins with a file, once there is room for it. Two files whose names are the same to the store go one after the
    /// other, so that the first one gets it. Throws the error of a file before it that ends the import.
    ///
    /// - Parameter then: is given the result before it is reported.
    func add(_ key: Key, _ work: @escaping Work, then: ((ImportOutput.Line) -> Void)? = nil) async throws {
        while entries.count >= Self.maxFiles || entries.contains(where: { $0.key == key }) { try await takeFirst() }
        entries.append(Entry(key: key, task: Task { try await work() }, then: then))
    }

    /// Reports what is known at once, in its turn.
    func add(_ line: ImportOutput.Line) async throws {
        while entries.count >= Self.maxFiles { try await takeFirst() }
        entries.append(Entry(key: nil, task: Task { line }))
    }

    /// Runs an import, and waits for all of its files, also where it ends early: those that are filed are reported.
    func run(_ body: () async throws -> Void) async throws {
        do {
            try await body()
            while !entries.isEmpty { try await takeFirst() }
        } catch {
            while !entries.isEmpty { try? await takeFirst() }
            throw error
        }
    }

    private func takeFirst() async throws {
        let first = entries.removeFirst()
        let line = try await first.task.value
        first.then?(line)
        try report(line)
    }
}
