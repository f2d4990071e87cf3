import FundCore
import FundHTTP
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Folders of drives in pages, and bytes on their way from a store to a client.
struct DriveListingTests {
    private static let entries = [
        DriveEntry(name: "b.txt", isFolder: false, size: 30, modifiedAt: Timestamp(3)),
        DriveEntry(name: "A.txt", isFolder: false, size: 10, modifiedAt: nil),
        DriveEntry(name: "zoo", isFolder: true), DriveEntry(name: "Art", isFolder: true),
        DriveEntry(name: "c.doc", isFolder: false, size: nil, modifiedAt: Timestamp(1)),
        DriveEntry(name: "same", isFolder: false, size: 10, modifiedAt: Timestamp(2), storeID: "2"),
        DriveEntry(name: "same", isFolder: false, size: 10, modifiedAt: Timestamp(2), storeID: "1"),
    ]

    @Test(arguments: [
        ("name", "Art zoo A.txt b.txt c.doc same1 same2"), ("-name", "zoo Art same2 same1 c.doc b.txt A.txt"),
        ("size", "Art zoo A.txt same1 same2 b.txt c.doc"), ("-size", "Art zoo b.txt A.txt same1 same2 c.doc"),
        ("modified_at", "Art zoo c.doc same1 same2 b.txt A.txt"),
        ("-modified_at", "Art zoo b.txt same1 same2 c.doc A.txt"),
    ])
    func sortsFoldersFirst(_ word: String, _ expected: String) throws {
        let order = try DriveOrder(QueryText("sort=\(word)"))
        for limit in 1...8 {
            let listing = DriveListing(Self.entries, in: order)
            var (names, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try listing.page(PageQuery(limit: limit, cursor: cursor))
                names += page.items.map { $0.name + ($0.storeID ?? "") }
                cursor = page.next
            } while cursor != nil
            #expect(names.joined(separator: " ") == expected, "\(word), \(limit) at a time")
        }
    }

    /// Entries that come or go between two pages neither repeat another one nor leave one out.
    @Test func goesOnBehindWhatIsGone() throws {
        let order = DriveOrder()
        let first = try DriveListing(Self.entries, in: order).page(PageQuery(limit: 3))
        let rest = Self.entries.filter { $0.name != "A.txt" } + [DriveEntry(name: "0", isFolder: false)]
        let next = try DriveListing(rest, in: order).page(PageQuery(limit: 9, cursor: first.next))
        #expect(next.items.map(\.name) == ["b.txt", "c.doc", "same", "same"])
        #expect(throws: RequestError.self) {
            try DriveListing(rest, in: DriveOrder(key: .size)).page(PageQuery(cursor: first.next))
        }
    }

    /// Entries that no path can name are counted, and weigh nothing.
    @Test func countsWhatHasNoName() throws {
        let folder = try #require(DrivePath([String](repeating: String(repeating: "f", count: 1000), count: 4)))
        let long = DriveEntry(name: String(repeating: "n", count: 200), isFolder: false)
        let entries = [".", "a/b", ""].map { DriveEntry(name: $0, isFolder: true) } + [long]
        for (folder, named) in [(DrivePath.top, [long]), (folder, [])] {
            let listing = DriveListing(entries, in: DriveOrder(), of: folder, besides: 2)
            #expect(listing.entries == named && listing.unnamed == 6 - named.count)
            #expect((listing.weight > 400) == (named.count == 1))
        }
    }

    private static let (drive, user) = (Drive.ID(rawValue: 1), User.ID(rawValue: 1))

    /// A request after a change neither gets a listing that began before it, nor is that one kept.
    @Test func asksAnewAfterAChange() async throws {
        let (store, listings) = (SampleDrives([:]), DriveListings())
        let (gate, opener) = AsyncStream.makeStream(of: Never.self)
        let isFirst = Atomic<Bool>(true)
        store.afterReading.withLock {
            $0 = {
                guard isFirst.exchange(false, ordering: .relaxed) else { return }
                for await _ in gate {}
            }
        }
        @Sendable func names() async throws -> [String] {
            try await listings.listing(of: .top, DriveOrder(), of: Self.drive, Self.user, by: store).entries
                .map(\.name)
        }
        async let before = names()
        try await eventually { store.listings.withLock { $0.count } == 1 }
        try store.makeFolder(try #require(DrivePath("new")), of: Self.drive, Self.user)
        listings.forget(Self.drive)
        async let after = names()
        try? await eventually { store.listings.withLock { $0.count } == 2 }
        opener.finish()
        let (old, new) = (try await before, try await after)
        #expect(old == [] && new == ["new"])
        #expect(try await names() == ["new"] && store.listings.withLock { $0.count } == 2)
    }

    /// A listing past its time leaves the memory with the next one that is kept.
    @Test func forgetsWhatIsOld() async throws {
        let store = SampleDrives(["a": .none, "b": .none])
        let time = Mutex(ContinuousClock.now)
        let listings = DriveListings { time.withLock { $0 } }
        for (name, passed, count) in [("", 0, 1), ("a", 20, 2), ("b", 10, 2), ("b", 29, 2), ("a", 31, 1)] {
            time.withLock { $0 += .seconds(passed) }
            let folder = try #require(DrivePath(name))
            _ = try await listings.listing(of: folder, DriveOrder(), of: Self.drive, Self.user, by: store)
            #expect(listings.count == count, "\(name) after \(passed) s")
        }
        #expect(store.listings.withLock { $0 } == ["", "a", "b", "a"])
    }

    /// All bytes come before the error that ends them, and a client that goes ends the reading.
    @Test func givesBytesInOrder() async throws {
        let (pipe, count) = (try DrivePipe(), 3_000_000)
        let writing = Task.detached {
            // Pieces that the kernel's buffer takes at once, and larger ones.
            for (start, end) in [(0, 50_000), (50_000, 100_000), (100_000, count)] {
                let piece = (start..<end).map { UInt8(truncatingIfNeeded: $0 &* 7) }
                try piece.withUnsafeBytes { try pipe.write($0) }
            }
            pipe.finish(.failure(DriveError(.changed)))
        }
        var position = 0
        await #expect(throws: DriveError.self) {
            while case let bytes = try await pipe.read(atMost: 10_000), bytes.readableBytes > 0 {
                let isRight = bytes.readableBytesView.enumerated().allSatisfy { index, byte in
                    byte == UInt8(truncatingIfNeeded: (position + index) &* 7)
                }
                #expect(isRight)
                position += bytes.readableBytes
            }
        }
        #expect(position == count)
        try await writing.value
        let other = try DrivePipe()
        other.stopReading()
        #expect(throws: CancellationError.self) { try [UInt8(1)].withUnsafeBytes { try other.write($0) } }
    }
}
