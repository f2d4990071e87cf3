import Testing

@testable import FundClient

@Suite struct RequestSignTests {
    /// The example of docs/programs.md.
    @Test func signsAsTheDocumentSays() {
        let sign = RequestSign(token: "key").text(
            method: "POST", path: "/funds/7", query: "ts=1337001234&nonce=a", body: Array("name=x".utf8))
        #expect(sign == "5557603533a9bf8aa47a84e3ff72fec8b5d0832562c6c400702fe4b7f16f2a10")
    }

    @Test func noncesAreOfOneLengthAndDiffer() {
        let nonces = (0..<100).map { _ in RequestSign.makeNonce() }
        #expect(Set(nonces).count == 100 && nonces.allSatisfy { $0.utf8.count == 32 })
    }
}
