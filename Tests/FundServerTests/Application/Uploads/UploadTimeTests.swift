import FundCore
import TestSupport
import Testing

@testable import FundServer

/// When a file was changed last, as the program that sends it has it.
struct UploadTimeTests {
    /// The time that its owner's program has for a file comes with every way of sending it.
    @Test func keepsTheTimeOfTheFile() async throws {
        let client = try await UploadClient()
        func time(_ name: String) async throws -> Int64? { try await client.files()[name]?.modifiedAt.rawValue }
        let path = "/api/v1/funds/\(client.fund)/files"
        let type = ["Content-Type": "text/plain"]
        _ = try await client.send("POST", "\(path)?name=a&modified_at=1562241600", type, [1])
        #expect(try await time("a") == 1_562_241_600)
        let id = try #require(try await client.files()["a"]?.id)
        _ = try await client.send("PUT", "/api/v1/files/\(id)/content?modified_at=-1.5", type, [2])
        #expect(try await time("a") == -2)
        let address = try await client.begin("b", [1], length: 2, query: "&modified_at=1000000000")
        let last = try await client.append(address, at: 1, [2], isComplete: true)
        #expect(last.status == 201)
        #expect(try await time("b") == 1_000_000_000)
        let wrong = try await client.send("POST", "\(path)?name=c&modified_at=soon", type, [1])
        #expect(wrong.status == 400)
        #expect(try await time("c") == nil)
        try await client.harness.stop()
    }
}
