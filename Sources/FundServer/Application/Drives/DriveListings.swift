internal import FundHTTP
internal import FundCore
internal import Synchronization

/// A folder of a drive as it was listed at one moment, in one order.
struct DriveListing: Sendable {
    let order: DriveOrder
    let entries: [DriveEntry]
    /// Number of entries that no path can name, which `entries` are without.
    let unnamed: Int
    private let positions: [DriveEntryPosition]

    /// - Parameters:
    ///   - folder: the one that they stand in.
    ///   - unnamed: entries that were left out before.
    init(_ entries: [DriveEntry], in order: DriveOrder, of folder: DrivePath = .top, besides unnamed: Int = 0) {
        let named = entries.filter { folder.appending($0.name) != nil }
        self.unnamed = unnamed + entries.count - named.count
        let sorted = named.map { (entry: $0, position: DriveEntryPosition($0, in: order)) }
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

    /// Bytes that it takes in memory, about: names stand in the keys by which it is sorted, too.
    var weight: Int {
        entries.reduce(0) { sum, entry in
            sum + entry.weight + entry.name.utf8.count + MemoryLayout<DriveEntryPosition>.stride
        }
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
/// asks no store. Bounded by their bytes.
final class DriveListings: Sendable {
    /// Age up to which a listing is given again. What others do in the store is seen after it.
    static let lifetime = Duration.seconds(30)
    /// A listing counts as so many bytes more, so that many empty folders are bounded, too.
    private static let bytesOfListing = 8192
    /// Bytes of all listings. The largest folder fits, with the keys by which it is sorted.
    static let maxBytes = 2 * DriveLimits.maxListingBytes + bytesOfListing

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
        let listing: DriveListing
        let at: ContinuousClock.Instant
        /// Bytes.
        let weight: Int

        init(_ listing: DriveListing, at time: ContinuousClock.Instant) {
            (self.listing, at) = (listing, time)
            weight = DriveListings.bytesOfListing + listing.weight
        }
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
            let listing = try await Self.sorted(known.listing.entries, order, folder, besides: known.listing.unnamed)
            keep(Kept(listing, at: known.at), key, ifStill: change)
            return listing
        }
        let entries = try await flights.run(Flight(key: key, change: change)) {
            try await operations.entries(in: folder, of: drive, user)
        }
        let listing = try await Self.sorted(entries, order, folder)
        keep(Kept(listing, at: now()), key, ifStill: change)
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
    private static func sorted(
        _ entries: [DriveEntry], _ order: DriveOrder, _ folder: DrivePath, besides unnamed: Int = 0
    ) async throws -> DriveListing {
        try await BlockingThreads.run { DriveListing(entries, in: order, of: folder, besides: unnamed) }
    }

    private func keep(_ new: Kept, _ key: Key, ifStill change: Int) {
        let time = now()
        state.withLock { state in
            for (key, old) in state.kept where time - old.at >= Self.lifetime { state.remove(key) }
            guard state.change == change, new.weight <= Self.maxBytes else { return }
            state.remove(key)
            while state.weight + new.weight > Self.maxBytes,
                let oldest = state.kept.min(by: { $0.value.at < $1.value.at })
            {
                state.remove(oldest.key)
            }
            state.kept[key] = new
            state.weight += new.weight
        }
    }
}
