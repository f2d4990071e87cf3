internal import FundHTTP
internal import FundCore

/// Watched folders of drives, as pages and web API read and change them.
extension UserCall {
    /// Watched folders of a drive, by their ids.
    func driveWatches(of drive: Drive.ID) async throws -> [DriveWatch] {
        try await driveStore.watches(of: try userID).filter { $0.drive == drive }
    }

    /// The watched folder of the path parameter `watch`, in the drive of `drive`. Throws 404.
    func driveWatch() async throws -> DriveWatch {
        let (drive, watch) = (
            try await drive().id, try await driveStore.watch(try id("watch"), of: try userID)
        )
        guard watch.drive == drive else { throw RequestError.notFound }
        return watch
    }

    /// Watches a folder once the store has listed it. Throws 404 for a place that is not the user's, and `DriveError`
    /// where the folder cannot be listed.
    func addDriveWatch(_ new: NewDriveWatch) async throws -> DriveWatch {
        let (store, user) = (try driveStore, try userID)
        _ = try await library.fund(new.place.fund, of: user)
        _ = try await driveListing(of: new.path, DriveOrder(), of: new.drive, isNew: true)
        return try await store.addWatch(new, of: user)
    }

    func changeDriveWatch(_ id: DriveWatch.ID, _ change: DriveWatchChange) async throws -> DriveWatch {
        try await driveStore.changeWatch(id, change, of: try userID)
    }

    func removeDriveWatch(_ id: DriveWatch.ID) async throws {
        try await driveStore.removeWatch(id, of: try userID)
    }
}
