internal import Synchronization

/// Funds of folders: an upload into a folder names both.
final class PlaceFunds: Sendable {
    /// Limit of folders that are remembered; then all are learnt anew.
    private static let maxFolders = 10_000

    private let funds = Mutex<[FolderID: FundID]>([:])

    subscript(folder: FolderID) -> FundID? { funds.withLock { $0[folder] } }

    func learn(_ folder: Folder) {
        funds.withLock { funds in
            if funds.count >= Self.maxFolders { funds.removeAll() }
            funds[folder.id] = folder.fund
        }
    }

    func forget(_ folder: FolderID) { _ = funds.withLock { $0.removeValue(forKey: folder) } }
}
