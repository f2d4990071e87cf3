import FundCore
import TestSupport

@testable import FundStore

/// A closed store with three mails, whose one segment has lost its first page.
struct TornLog {
    let location: StoreLocation
    /// The segment as it was before.
    let whole: [UInt8]
    private let harness: StoreHarness

    init() async throws {
        harness = try await StoreHarness()
        for number in 0..<3 {
            // Packed it takes more than the page that is lost.
            let text = (0..<200).map { ContentDigest.of(Array("\(number) \($0)".utf8)).hex }.joined(separator: "\n")
            try await harness.file("a: \(number)\n\n\(text)")
        }
        location = harness.store.connection.location
        try harness.store.close()
        let path = location.path(SegmentNumber(1).nameInStore)
        whole = try TestFile.read(path)
        let pageBytes = 4096
        try TestFile.write([UInt8](repeating: 0, count: pageBytes) + whole.dropFirst(pageBytes), to: path)
    }
}
