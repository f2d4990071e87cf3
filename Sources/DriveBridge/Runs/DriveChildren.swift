internal import FundCore

/// The children that may run at a time, besides those that serve small files. People have shares of them: a store that
/// is slow, or stuck, holds up its own owner first.
final class DriveChildren: Sendable {
    /// The work of a child.
    enum Use: Sendable {
        /// The bytes of one file, for as long as they flow.
        case file
        /// Anything else: what people look at does not wait for files.
        case answer
    }

    /// The right to run a child.
    struct Place: Sendable {
        fileprivate let use: Use
        fileprivate let number: Int
        fileprivate let owner: String
    }

    /// Operations that wait.
    private static let maxWaiting = 200
    /// One for each person whose files are on their way, and a second one for whom there is room.
    private static let files = PoolShares(origins: 7, most: 3)
    private static let answers = PoolShares(origins: 5, most: 3)
    /// More than the people: some have two.
    private static let extra = 1

    private let files = DriveChildren.pool(DriveChildren.files)
    private let answers = DriveChildren.pool(DriveChildren.answers)

    private static func pool(_ shares: PoolShares) -> ResourcePool<Int> {
        ResourcePool(Array(0..<(shares.origins + extra)), maxWaiting: maxWaiting, shares: shares)
    }

    private func pool(_ use: Use) -> ResourcePool<Int> { use == .file ? files : answers }

    /// Waits for a place. Throws `busy` after `limit`, and when too many wait.
    /// - Parameter owner: whose share it comes from.
    func place(for use: Use, of owner: String, within limit: Duration?) async throws -> Place {
        do {
            let number = try await pool(use).acquire(for: owner, within: limit)
            return Place(use: use, number: number, owner: owner)
        } catch is ResourcePoolError {
            throw DriveError(.busy, "too much is under way here")
        }
    }

    func release(_ place: Place) { pool(place.use).release(place.number, of: place.owner) }

    /// Places that operations have.
    var takenCount: Int {
        [(files, Self.files), (answers, Self.answers)].reduce(0) { count, pool in
            count + pool.1.origins + Self.extra - pool.0.idle.count
        }
    }

    /// Operations that wait for a place.
    var waitingCount: Int { files.waitingCount + answers.waitingCount }
}
