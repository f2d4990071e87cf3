import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Large files as the script of a page sends them.
struct PageUploadTests {
    private typealias Shelf = PageListTests.Shelf

    private static func send(
        _ method: String, _ target: String, _ fields: [String: String], _ body: [UInt8]? = nil, of shelf: Shelf
    ) async throws -> RawHTTPResponse {
        let own = [
            "Cookie": shelf.session.cookie, "Sec-Fetch-Site": "same-origin", "X-Form-Token": shelf.session.formToken,
            "Accept": "application/json",
        ]
        return try await shelf.harness.send(method, target, fields: fields.merging(own) { $1 }, body: body)
    }

    private static func begin(_ name: String, size: Int, query: String = "", _ shelf: Shelf) async throws
        -> RawHTTPResponse
    {
        try await send(
            "POST", "/library/funds/\(shelf.fund)/upload?name=\(name)\(query)",
            ["Content-Type": "application/pdf", "Upload-Complete": "?0", "Upload-Length": "\(size)"], [], of: shelf)
    }

    private static func append(_ address: String, at offset: Int, _ bytes: [UInt8], of shelf: Shelf) async throws
        -> RawHTTPResponse
    {
        try await send(
            "PATCH", address,
            [
                "Content-Type": "application/partial-upload", "Upload-Offset": "\(offset)", "Upload-Complete": "?1",
            ], bytes, of: shelf)
    }

    @Test func keepsTheTimeOfTheFile() async throws {
        let shelf = try await Shelf("Times")
        let begun = try await Self.begin("a.pdf", size: 1, query: "&modified_at=1000000000", shelf)
        _ = try await Self.append(try #require(begun["location"]), at: 0, [1], of: shelf)
        let path = "/library/funds/\(shelf.fund)/upload?name=b.pdf&modified_at=1000000001"
        _ = try await Self.send("POST", path, ["Content-Type": "application/pdf"], [1], of: shelf)
        let library = shelf.harness.store.library
        let items = try await library.children(of: LibraryPlace(fund: shelf.fund), of: shelf.harness.people.ann.id)
        let times = items.compactMap { if case .file(let file) = $0 { file.modifiedAt.rawValue } else { nil } }
        #expect(times == [1_000_000_000, 1_000_000_001])
        try await shelf.harness.stop()
    }

    @Test
    func goesOnWhereItWas() async throws {
        let shelf = try await Shelf("Pieces")
        let begun = try await Self.begin("a.pdf", size: 10, shelf)
        let address = try #require(begun["location"])
        #expect(begun.status == 201 && address.hasPrefix("/library/uploads/"))
        let first = try await Self.send(
            "PATCH", address,
            ["Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?0"],
            Array("01234".utf8), of: shelf)
        #expect(first.status == 204)
        let standing = try await Self.send("HEAD", address, [:], of: shelf)
        #expect(standing["upload-offset"] == "5" && standing["upload-complete"] == "?0")
        let last = try await Self.append(address, at: 5, Array("56789".utf8), of: shelf)
        #expect(last.status == 201 && last.text.hasPrefix(#"{"id":"#))
        // Its answer was lost.
        #expect(try await Self.append(address, at: 10, [], of: shelf).body == last.body)
        // Who cancels too late hears of the file.
        let removed = try await Self.send("DELETE", address, [:], of: shelf)
        #expect(removed.status == 204 && removed["upload-complete"] == "?1")
        #expect(try await shelf.names() == ["a.pdf"])
        try await shelf.harness.stop()
    }

    /// The question about a name that is taken comes before the bytes are sent.
    @Test
    func asksBeforeTheBytes() async throws {
        let shelf = try await Shelf("Pieces")
        let address = try #require(try await Self.begin("a.pdf", size: 1, shelf)["location"])
        #expect(try await Self.append(address, at: 0, [1], of: shelf).status == 201)
        let taken = try await Self.begin("A.PDF", size: 1, shelf)
        #expect(taken.status == 409 && taken.text.hasPrefix(#"{"detail":"#) && taken["location"] == nil)
        let library = shelf.harness.store.library
        let ann = shelf.harness.people.ann.id
        let folder = try await library.addFolder("Sub", in: LibraryPlace(fund: shelf.fund), of: ann)
        let below = "&folder=\(folder.id)"
        #expect(try await Self.begin("Sub", size: 1, shelf).status == 409)
        // Taken only when all is there: the upload is gone, which its answer says.
        let lower = try #require(try await Self.begin("a.pdf", size: 1, query: below, shelf)["location"])
        let winner = try #require(try await Self.begin("a.pdf", size: 1, query: below, shelf)["location"])
        #expect(try await Self.append(winner, at: 0, [3], of: shelf).status == 201)
        let late = try await Self.append(lower, at: 0, [4], of: shelf)
        #expect(late.status == 409 && late["upload-complete"] == "?1" && late["upload-offset"] == nil)
        #expect(try await Self.send("HEAD", lower, [:], of: shelf).status == 404)
        #expect(try await Self.begin("A.pdf", size: 1, query: below, shelf).status == 409)
        let other = try #require(try await Self.begin("a.pdf", size: 1, query: "&if_taken=number", shelf)["location"])
        #expect(try await Self.append(other, at: 0, [2], of: shelf).status == 201)
        #expect(Set(try await shelf.names()) == ["a.pdf", "a(1).pdf", "Sub"])
        try await shelf.harness.stop()
    }
}
