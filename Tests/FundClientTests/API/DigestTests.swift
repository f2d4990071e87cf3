import FundClient
import Testing

@Suite struct DigestTests {
    private let hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test func readsAndWritesHexadecimalDigits() throws {
        let digest = try #require(Digest(hex: hex))
        #expect(digest.bytes.first == 0xE3)
        #expect(digest.description == hex)
        #expect(Digest(bytes: digest.bytes) == digest)
    }

    @Test(arguments: ["", "e3", String(repeating: "g", count: 64), String(repeating: "A", count: 64)])
    func refusesAllElse(_ text: String) { #expect(Digest(hex: text) == nil) }
}
