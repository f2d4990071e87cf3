import FundCore

/// The future of a deleted item, as the column `at` of its row of `deletion` has it.
enum Deletion {
    /// It can be restored; deleted then.
    case restorable(since: Timestamp)
    /// It goes for good and cannot be restored. A purge that was interrupted is finished by the next purge of the same
    /// user's items, retention among them, since all else was deleted later.
    case final

    var column: Timestamp {
        switch self {
        case .restorable(let time): time
        case .final: Timestamp(0)
        }
    }

    /// Conditions on rows of `deletion`.
    static let isRestorable = "purged_at IS NULL AND at > \(Deletion.final.column)"
    static let isFinal = "at = \(Deletion.final.column)"
}

extension ItemKind {
    /// The kinds of what is in a fund, folders before what lies in them.
    static let inFunds: [ItemKind] = [.folder, .email, .file, .note]

    /// Its table. All but `email` have a column `deleted_at`.
    var table: String {
        switch self {
        case .fund: "fund"
        case .folder: "folder"
        case .file: "file"
        case .email: "email"
        case .note: "note"
        }
    }

    /// The column of `folder` or `file` that names the folder in which a row lies.
    var parentColumn: String { self == .folder ? "parent_id" : "folder_id" }

    /// The folder that holds a row of `folder` or `file`, see `SQL.parent`.
    var parent: String { SQL.parent("\(table).\(parentColumn)") }
}

extension LibraryPlace {
    /// For a fund, and for a folder as `ItemKind.parent` has it.
    var arguments: SQLArguments { [fund, folder ?? 0] }
}
