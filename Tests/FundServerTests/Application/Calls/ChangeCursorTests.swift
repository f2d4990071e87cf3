internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Cursors of the change feed, as clients see them.
struct ChangeCursorTests {
    private static let seal = ChangeCursorSeal(serverKey: Array(repeating: 7, count: 32))

    @Test
    func opensWhatItSealed() {
        for number in [0, 1, 2, 1000, 1 << 35, (1 << 36) - 1] as [Int64] {
            for epoch in [0, 1, 4711, 65_535] as [Int64] {
                let cursor = ChangeCursor(epoch: epoch, number: number)
                let sealed = Self.seal.seal(cursor, for: 3)
                // Every reader of JSON holds such a number exactly (RFC 8259 §6).
                #expect(sealed >= 0 && sealed < 1 << 52)
                #expect(Self.seal.open(sealed, for: 3) == cursor)
                #expect(Self.seal.open(sealed, for: 4) != cursor)
            }
        }
        #expect(Self.seal.open(1 << 52, for: 3) == nil && Self.seal.open(-1, for: 3) == nil)
    }

    /// Numbers that follow each other do not look like it, and other users' are others.
    @Test
    func tellsNoCounts() {
        let numbers = (0..<200).map { Self.seal.seal(ChangeCursor(epoch: 1, number: $0), for: 1) }
        let others = (0..<200).map { Self.seal.seal(ChangeCursor(epoch: 1, number: $0), for: 2) }
        #expect(Set(numbers + others).count == 400)
        let growing = zip(numbers, numbers.dropFirst()).count { $0 < $1 }
        #expect((60...140).contains(growing))
        let distances = zip(numbers, numbers.dropFirst()).map { ($1 - $0).magnitude }
        #expect(distances.count { $0 < 1 << 36 } < 10)
    }

    @Test
    func refusesCursorsOfAnotherHistory() async throws {
        let harness = try await ServerHarness()
        let (ann, bea) = (
            try await harness.token(of: harness.people.ann), try await harness.token(of: harness.people.bea)
        )
        func changes(_ query: String, _ token: String) async throws -> RawHTTPResponse {
            try await harness.send("GET", "/api/v1/changes" + query, token: token)
        }
        func cursor(_ response: RawHTTPResponse) throws -> Int64 {
            let object = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
            return try #require(object?["cursor"] as? Int64)
        }
        let whole = try await changes("?limit=500", ann)
        let last = try cursor(whole)
        #expect(try await changes("?since=0&limit=500", ann).text == whole.text)
        let next = try await changes("?since=\(last)", ann)
        #expect(try cursor(next) == last && next.text.contains("\"changes\":[]"))
        for (query, token) in [
            ("?since=\(last)", bea), ("?since=5", ann), ("?since=4503599627370496", ann),
            ("?since=9223372036854775807", ann),
        ] {
            let response = try await changes(query, token)
            #expect(response.status == 410 && response.text.contains("urn:fundmail:problem:outdated"), "\(query)")
        }
        let stream = try await harness.send(
            "GET", "/api/v1/changes", token: ann, fields: ["Accept": "text/event-stream", "Last-Event-ID": "5"])
        #expect(stream.status == 410)
        try await harness.stop()
    }
}
