/// A file of a watched folder, as the program remembers it between looks. One name has one.
package struct WatchedFile: Sendable, Hashable {
    /// Raw values are stored.
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// It is not known to hold still.
        case waiting
        /// It holds still, and is to be pulled.
        case due
        /// It is filed, and is to be moved or marked.
        case filed
        /// Nothing is left to be done.
        case done
        /// It cannot be filed as it is.
        case refused
        /// It is filed, and could not be moved or marked.
        case unmoved
    }

    package var name: String
    /// The store's own id, where it has ids.
    package var storeID: String?
    /// The state of the content that was seen latest (`DriveEntry.contentMark`).
    package var seen: String
    /// The time at which that was seen first.
    package var seenAt: Timestamp
    package var state: State
    /// The state of the content that was filed latest; nil for none.
    package var filed: String?
    /// The SHA-256 of what was filed latest, and the file that it became.
    package var digest: ContentDigest?
    package var file: FileEntry.ID?
    /// The name that it is given as a mark; noted before the store is asked.
    package var target: String?
    /// The first look that did not find it; nil for a file that is there.
    package var goneAt: Timestamp?
    /// Failures of this content.
    package var attempts: Int
    /// The reason for `refused` and `unmoved`.
    package var problem: DriveProblem?

    package init(
        name: String, storeID: String? = nil, seen: String, seenAt: Timestamp, state: State = .waiting,
        filed: String? = nil, digest: ContentDigest? = nil, file: FileEntry.ID? = nil, target: String? = nil,
        goneAt: Timestamp? = nil, attempts: Int = 0, problem: DriveProblem? = nil
    ) {
        self.name = name
        self.storeID = storeID
        self.seen = seen
        self.seenAt = seenAt
        self.state = state
        self.filed = filed
        self.digest = digest
        self.file = file
        self.target = target
        self.goneAt = goneAt
        self.attempts = attempts
        self.problem = problem
    }

    /// Failures of one content after which it is not tried again.
    package static let maxAttempts = 3
}

/// The outcome of a look at a watched folder.
package struct WatchFindings: Sendable, Hashable {
    /// Files that are new or have changed, by their present names.
    package var written: [WatchedFile]
    /// Names whose rows go.
    package var removed: [String]
    /// Names of files that are pulled now, `NewDriveTransfer.maxItems` at most.
    package var pulled: [String]
    /// Folders in the folder.
    package var folders: Int
    /// Whether files wait that are worth an early look.
    package var isEarly: Bool
    /// Whether filed files are to be moved or marked next.
    package var putsAway: Bool

    package init(
        written: [WatchedFile] = [], removed: [String] = [], pulled: [String] = [], folders: Int = 0,
        isEarly: Bool = false, putsAway: Bool = false
    ) {
        self.written = written
        self.removed = removed
        self.pulled = pulled
        self.folders = folders
        self.isEarly = isEarly
        self.putsAway = putsAway
    }
}

/// The result of noting a look.
package enum WatchNote: Sendable, Hashable {
    /// A transfer was begun.
    case begun
    /// Nothing is to be pulled now, or as many transfers of the user wait as may.
    case idle
    /// The watch was stopped: its place is gone.
    case stopped
}

extension DriveEntry {
    /// A text that changes with the content, as far as the store tells: its version, else size and time. The size
    /// always counts.
    package var contentMark: String {
        let state = version ?? "\(modifiedAt.map(\.description) ?? "")"
        // The version is a store's own text, and may be long.
        let short = state.utf8.count <= Self.maxMarkBytes ? state : ContentDigest.of(Array(state.utf8)).hex
        return "\(short)/\(size ?? -1)"
    }

    private static let maxMarkBytes = 200
}
