internal import FundCore
internal import Synchronization

/// The names that stand twice in folders, as listings showed them. A path with such a name says not which thing is
/// meant: rclone takes the first, or mixes them.
final class RepeatedNames: Sendable {
    /// Time for which a listing tells the names of a folder.
    private static let lifetime = Duration.seconds(60)
    private static let maxFolders = 10_000

    private struct Folder: Hashable {
        var drive: String
        var path: DrivePath
    }

    private struct Names: Sendable {
        var names: Set<String>
        var until: ContinuousClock.Instant
    }

    private let folders = Mutex(BoundedTable<Folder, Names>(maxEntries: maxFolders))

    /// Notes the names of a folder that was listed.
    func note(_ names: some Sequence<String>, in path: DrivePath, of drive: String) {
        var (seen, repeated): (Set<String>, Set<String>) = ([], [])
        for name in names where !seen.insert(name).inserted { repeated.insert(name) }
        let found = Names(names: repeated, until: .now + Self.lifetime)
        folders.withLock { $0[Folder(drive: drive, path: path)] = found }
    }

    /// The names that stand twice in a folder; nil where it was not listed of late.
    func names(in path: DrivePath, of drive: String) -> Set<String>? {
        folders.withLock { folders in
            folders[Folder(drive: drive, path: path)].flatMap { $0.until > .now ? $0.names : nil }
        }
    }
}
