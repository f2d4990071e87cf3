/// A watched folder: the files that appear in one folder of a drive are filed into a place of the library. Folders in
/// it are left alone.
package struct DriveWatch: Sendable, Hashable {
    package typealias ID = FundCore.ID<DriveWatch>

    /// The act on a file in the drive after it was filed. Raw values are stored, and are words of the web API.
    package enum Disposition: String, Sendable, Hashable, CaseIterable {
        case leave
        /// It goes into a folder below the watched one.
        case move
        /// It gets a name with `markSuffix`.
        case mark
    }

    /// Raw values are stored, and are words of the web API.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case on
        /// By its owner.
        case paused
        /// By this program: its place is not there any more, or is not the owner's.
        case stopped
    }

    package var id: ID
    package var user: User.ID
    package var drive: Drive.ID
    package var path: DrivePath
    package var place: LibraryPlace
    package var rules: WatchRules
    package var state: State
    package var addedAt: Timestamp
    /// The end of the latest look, whether it succeeded or not; nil before the first one.
    package var lookedAt: Timestamp?
    /// The time from which it is looked again; nil for one that is not on.
    package var nextLookAt: Timestamp?
    /// The reason why the latest look failed, or why it stopped.
    package var problem: DriveProblem?
    /// More about it in English.
    package var detail: String?
    package var counts: WatchCounts
    /// A number that each change of its owner's raises, for a look that must not undo another one's.
    package var revision: Int64

    package init(
        id: ID, user: User.ID, drive: Drive.ID, path: DrivePath, place: LibraryPlace, rules: WatchRules,
        state: State = .on, addedAt: Timestamp, lookedAt: Timestamp? = nil, nextLookAt: Timestamp? = nil,
        problem: DriveProblem? = nil, detail: String? = nil, counts: WatchCounts = WatchCounts(),
        revision: Int64 = 1
    ) {
        self.id = id
        self.user = user
        self.drive = drive
        self.path = path
        self.place = place
        self.rules = rules
        self.state = state
        self.addedAt = addedAt
        self.lookedAt = lookedAt
        self.nextLookAt = nextLookAt
        self.problem = problem
        self.detail = detail
        self.counts = counts
        self.revision = revision
    }

    /// Whether its owner should see to it.
    package var isFailing: Bool { problem != nil && state != .paused }

    /// The end of the stem of a file that was filed and marked.
    package static let markSuffix = " (filed)"
}

/// The settings of a watched folder that its owner chooses.
package struct WatchRules: Sendable, Hashable {
    package var disposition: DriveWatch.Disposition
    /// The name of the folder below the watched one that filed files move to.
    package var folder: String
    /// Time between two looks.
    package var minutes: Int

    package static let usualFolder = "Filed"
    package static let usualMinutes = 5
    package static let allowedMinutes = 1...1440

    package init(
        _ disposition: DriveWatch.Disposition = .leave, folder: String = WatchRules.usualFolder,
        minutes: Int = WatchRules.usualMinutes
    ) {
        self.disposition = disposition
        self.folder = folder
        self.minutes = minutes
    }
}

/// Figures of a watched folder.
package struct WatchCounts: Sendable, Hashable {
    /// Files that were filed since it was added.
    package var filed: Int
    /// Files in it that are on their way, or are seen to hold still first.
    package var waiting: Int
    /// Files in it that cannot be filed, or could not be moved or marked afterwards.
    package var refused: Int
    /// Folders in it, which are left alone.
    package var folders: Int

    package init(filed: Int = 0, waiting: Int = 0, refused: Int = 0, folders: Int = 0) {
        self.filed = filed
        self.waiting = waiting
        self.refused = refused
        self.folders = folders
    }
}

/// The pauses of a watched folder whose store fails, in looks or in transfers.
package enum WatchPace {
    /// The pause after this many failures in a row, from 1: a minute at first, `DriveLimits.longestPause` at most.
    package static func pause(failures: Int) -> Duration {
        min(.seconds(60 << min(max(failures, 1) - 1, 10)), DriveLimits.longestPause)
    }
}

/// A watched folder as its owner adds it.
package struct NewDriveWatch: Sendable {
    package var drive: Drive.ID
    package var path: DrivePath
    package var place: LibraryPlace
    package var rules: WatchRules
    /// The name of a folder that is made in `place` and takes the files; nil for `place` itself.
    package var newFolder: String?

    package init(
        drive: Drive.ID, path: DrivePath, place: LibraryPlace, rules: WatchRules = WatchRules(),
        newFolder: String? = nil
    ) {
        self.drive = drive
        self.path = path
        self.place = place
        self.rules = rules
        self.newFolder = newFolder
    }
}

/// A change to a watched folder; nil leaves a field.
package struct DriveWatchChange: Sendable {
    package var place: LibraryPlace?
    package var disposition: DriveWatch.Disposition?
    package var folder: String?
    package var minutes: Int?
    /// False pauses it; true looks at once, and tries again what could not be filed.
    package var isOn: Bool?

    package init(
        place: LibraryPlace? = nil, disposition: DriveWatch.Disposition? = nil, folder: String? = nil,
        minutes: Int? = nil, isOn: Bool? = nil
    ) {
        self.place = place
        self.disposition = disposition
        self.folder = folder
        self.minutes = minutes
        self.isOn = isOn
    }
}
