internal import FundHTTP
internal import FundCore
internal import Synchronization

/// A folder of a drive as it was listed at one moment, in one order.
struct DriveListing: Sendable {
    let order: DriveOrder
    let entries: [DriveEntry]
    private let positions: [DriveEntryPosition]

    init(_ entries: [DriveEntry], in order: DriveOrder) {
        let sorted = entries.map { (entry: $0, position: DriveEntryPosition($0, in: order)) }
            .sorted { $0.position.isBefore($1.position, in: order) }
        self.order = order
        self.entries = sorted.map(\.entry)
        positions = sorted.map(\.position)
    }

    /// The page that a query asks for. Throws 400 for the cursor of another order.
    func page(_ query: PageQuery) throws -> ListPage<DriveEntry> {
        var start = 0
        if let cursor = query.cursor {
            guard let last = DriveEntryPosition(cursor: cursor, in: order) else {
                throw RequestError.invalid("there is no such cursor")
            }
            start = index(behind: last)
        }
        let end = min(start + query.limit, entries.count)
        let next = end < entries.count && end > start ? positions[end - 1].cursor(in: order) : nil
        return ListPage(items: Array(entries[start..<end]), next: next)
    }

    private func index(behind last: DriveEntryPosition) -> Int {
        var (low, high) = (0, positions.count)
        while low < high {
            let middle = (low + high) / 2
            if last.isBefore(positions[middle], in: order) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Folders of drives that were listed lately: the pages of one list come from one listing, and going back to a folder
/// asks no store. Bounded by the number of their entries.
final class DriveListings: Sendable {
    /// Age up to which a listing is given again. What others do in the store is seen after it.
    static let lifetime = Duration.seconds(30)
    /// A listing counts as so many entries more, so that many empty folders are bounded, too.
    private static let entriesOfListing = 20
    /// Entries of all listings, a few hundred bytes each. The largest folder fits.
    static let maxEntries = DriveLimits.maxEntries + entriesOfListing

    private struct Key: Hashable, Sendable {
        var user: User.ID
        var drive: Drive.ID
        var folder: DrivePath
    }

    /// A listing that is under way. A request after a change does not join one that began before it.
    private struct Flight: Hashable, Sendable {
        var key: Key
        var change: Int
    }

    private struct Kept {
        var listing: DriveListing
        var at: ContinuousClock.Instant
        var weight: Int { listing.entries.count + DriveListings.entriesOfListing }
    }

    private struct State {
        var kept: [Key: Kept] = [:]
        var weight = 0
        /// Raised when something changed in any drive: a listing that was begun before is not kept.
        var change = 0

        mutating func remove(_ key: Key) {
            if let old = kept.removeValue(forKey: key) { weight -= old.weight }
        }
    }

    private let state = Mutex(State())
    private let flights = SingleFlight<Flight, [DriveEntry]>()
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: the clock of ages; another only in tests.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// The entries of a folder in an order. Throws what `DriveOperations.entries` throws.
    /// - Parameter isNew: asks the store also when a listing is there.
    func listing(
        of folder: DrivePath, _ order: DriveOrder, of drive: Drive.ID, _ user: User.ID,
        isNew: Bool = false, by operations: any DriveOperations
    ) async throws -> DriveListing {
        let key = Key(user: user, drive: drive, folder: folder)
        let (known, change) = state.withLock { ($0.kept[key], $0.change) }
        if !isNew, let known, now() - known.at < Self.lifetime {
            guard known.listing.order != order else { return known.listing }
            let listing = try await Self.sorted(known.listing.entries, order)
            keep(Kept(listing: listing, at: known.at), key, ifStill: change)
            return listing
        }
        let entries = try await flights.run(Flight(key: key, change: change)) {
            try await operations.entries(in: folder, of: drive, user)
        }
        let listing = try await Self.sorted(entries, order)
        keep(Kept(listing: listing, at: now()), key, ifStill: change)
        return listing
    }

    /// The number of listings in memory.
    var count: Int { state.withLock { $0.kept.count } }

    /// Forgets the listings of a drive in which something changed.
    func forget(_ drive: Drive.ID) {
        state.withLock { state in
            state.change += 1
            for key in state.kept.keys where key.drive == drive { state.remove(key) }
        }
    }

    /// Sorting a large folder takes a second.
    private static func sorted(_ entries: [DriveEntry], _ order: DriveOrder) async throws -> DriveListing {
        try await BlockingThreads.run { DriveListing(entries, in: order) }
    }

    private func keep(_ new: Kept, _ key: Key, ifStill change: Int) {
        let time = now()
        state.withLock { state in
            for (key, old) in state.kept where time - old.at >= Self.lifetime { state.remove(key) }
            guard state.change == change, new.weight <= Self.maxEntries else { return }
            state.remove(key)
            while state.weight + new.weight > Self.maxEntries,
                let oldest = state.kept.min(by: { $0.value.at < $1.value.at })
            {
                state.remove(oldest.key)
            }
            state.kept[key] = new
            state.weight += new.weight
        }
    }
}
