import FundCore
import FundHTTP
import NIOCore
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
