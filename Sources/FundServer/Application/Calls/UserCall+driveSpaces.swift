internal import FundCore
internal import Synchronization

extension UserCall {
    func driveSpace(of drive: Drive.ID) async throws -> DriveSpace {
        try await driveSpace(of: drive, parts.drivePermits)
    }

    private func driveSpace(of drive: Drive.ID, _ permits: UserPermits) async throws -> DriveSpace {
        let (operations, user) = (try driveOperations, try userID)
        return try await parts.driveSpaces.value(of: UserDrive(user: user, drive: drive)) {
            try await self.withDrivePermit(of: permits) { try await operations.space(of: drive, user) }
        }
    }

    /// The room for a list; nil where the store does not tell it, which is no failure of the list: it is not asked
    /// again for a while. Throws what says nothing of the store.
    private func listedSpace(of drive: Drive.ID) async throws -> DriveSpace? {
        try await parts.listedDriveSpaces.value(of: UserDrive(user: try userID, drive: drive)) {
            do { return try await driveSpace(of: drive, parts.listedDrivePermits) } catch is DriveError { return nil }
        }
    }

    /// The rooms of drives, as far as their stores tell them within a time. The others are asked on: the next look at
    /// the list has them.
    func driveSpaces(of drives: [Drive], within limit: Duration) async -> [Drive.ID: DriveSpace] {
        let survey = SpaceSurvey(drives)
        for _ in 0..<min(ApplicationParts.maxSpacesAsked, drives.count) {
            Task {
                while let drive = survey.next() {
                    survey.note((try? await listedSpace(of: drive.id)) ?? nil, of: drive.id)
                }
            }
        }
        return await survey.found(within: limit)
    }
}

/// Drives that are asked for their room.
private final class SpaceSurvey: Sendable {
    private struct State {
        var waiting: [Drive]
        var left: Int
        var found: [Drive.ID: DriveSpace] = [:]
    }

    private let state: Mutex<State>
    private let noted = Signal()

    init(_ drives: [Drive]) { state = Mutex(State(waiting: drives, left: drives.count)) }

    /// A drive that is not asked yet.
    func next() -> Drive? { state.withLock { $0.waiting.popLast() } }

    func note(_ space: DriveSpace?, of drive: Drive.ID) {
        state.withLock { state in
            state.left -= 1
            state.found[drive] = space
        }
        noted.raise()
    }

    /// All that is known after a time, or sooner when nothing is left.
    func found(within limit: Duration) async -> [Drive.ID: DriveSpace] {
        let deadline = ContinuousClock.now + limit
        while true {
            let known = noted.count
            let rest = deadline - ContinuousClock.now
            guard state.withLock({ $0.left > 0 }), rest > .zero else { return state.withLock { $0.found } }
            await noted.wait(after: known, atMost: rest)
        }
    }
}
