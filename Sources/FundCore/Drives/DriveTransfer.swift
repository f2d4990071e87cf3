/// Files on their way between a drive and a fund, in the background. One act of a person is one transfer.
package struct DriveTransfer: Sendable, Hashable {
    package typealias ID = FundCore.ID<DriveTransfer>

    /// The way of the files.
    package enum Direction: String, Sendable, Hashable {
        /// From the drive into a fund.
        case pull
        /// From a fund to the drive.
        case push
    }

    /// Raw values are stored.
    package enum State: String, Sendable, Hashable, CaseIterable {
        case queued, running, done, failed, cancelled

        package var isEnded: Bool { self == .done || self == .failed || self == .cancelled }
    }

    package var id: ID
    package var user: User.ID
    package var drive: Drive.ID
    package var direction: Direction
    /// The files and folders that are pulled, or the one folder that a push goes into.
    package var paths: [DrivePath]
    /// The files and folders that are pushed; empty for a pull.
    package var items: [LibraryItemID]
    /// The place that what is pulled goes to; nil for a push.
    package var place: LibraryPlace?
    package var state: State
    package var progress: TransferProgress
    package var addedAt: Timestamp
    package var endedAt: Timestamp?
    /// The reason why it failed, or why some of its files did.
    package var problem: DriveProblem?
    /// More about it in English, with the name of the file.
    package var detail: String?
    /// The watched folder for which it was begun; nil for one that a person began.
    package var watch: DriveWatch.ID?

    package init(
        id: ID, user: User.ID, drive: Drive.ID, direction: Direction, paths: [DrivePath], items: [LibraryItemID] = [],
        place: LibraryPlace? = nil, state: State = .queued, progress: TransferProgress = TransferProgress(),
        addedAt: Timestamp, endedAt: Timestamp? = nil, problem: DriveProblem? = nil, detail: String? = nil,
        watch: DriveWatch.ID? = nil
    ) {
        self.id = id
        self.user = user
        self.drive = drive
        self.direction = direction
        self.paths = paths
        self.items = items
        self.place = place
        self.state = state
        self.progress = progress
        self.addedAt = addedAt
        self.endedAt = endedAt
        self.problem = problem
        self.detail = detail
        self.watch = watch
    }
}

/// A transfer as a person begins it.
package struct NewDriveTransfer: Sendable {
    /// The things that go, and where to.
    package enum Work: Sendable {
        /// Files and folders of the drive, into a place of the library.
        case pull([DrivePath], into: LibraryPlace)
        /// Files and folders of the library, into a folder of the drive.
        case push([LibraryItemID], into: DrivePath)
    }

    package var drive: Drive.ID
    package var work: Work
    /// The name of a folder that is made in the place of a pull, with the transfer: what is pulled goes there.
    package var newFolder: String?

    package init(drive: Drive.ID, work: Work, newFolder: String? = nil) {
        (self.drive, self.work, self.newFolder) = (drive, work, newFolder)
    }

    /// The most that one transfer names: what a page selects.
    package static let maxItems = 1000
}

/// A file of the library on its way to a drive. Several files of one transfer may share a path, when their names are
/// the same.
package struct PushedFile: Sendable, Hashable {
    package var id: FileEntry.ID
    /// The path at which the file is put if its name is free there.
    package var path: DrivePath

    package init(_ id: FileEntry.ID, as path: DrivePath) { (self.id, self.path) = (id, path) }
}

/// How far a transfer is. The totals grow while folders are read.
package struct TransferProgress: Sendable, Hashable {
    package var files: Int
    package var totalFiles: Int
    package var failedFiles: Int
    package var bytes: Int64
    /// The sum over the files whose size the store tells.
    package var totalBytes: Int64

    package init(
        files: Int = 0, totalFiles: Int = 0, failedFiles: Int = 0, bytes: Int64 = 0, totalBytes: Int64 = 0
    ) {
        self.files = files
        self.totalFiles = totalFiles
        self.failedFiles = failedFiles
        self.bytes = bytes
        self.totalBytes = totalBytes
    }
}
