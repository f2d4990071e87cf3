import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The button that takes an act back takes back that act alone, and for a day.
struct UndoOfferTests {
    private typealias Shelf = PageListTests.Shelf

    /// The fields of the button's form on a page; nil where there is none.
    private static func undo(_ location: String?, _ action: String, _ shelf: Shelf) async throws -> String? {
        let page = try await shelf.page(try #require(location)).text
        let form = page.split(separator: "<form ").first { $0.contains("action=\"\(action)\" data-act") }
        guard let fields = form?.split(separator: "</form>")[0] else { return nil }
        return fields.matches(of: /name="([^"]*)" value="([^"]*)"/).map { "\($0.1)=\($0.2)" }
            .filter { !$0.hasPrefix("csrf=") }.joined(separator: "&")
    }

    /// A move, of which one item was put elsewhere since, and then both.
    @Test
    func leavesWhatWasMovedSince() async throws {
        let shelf = try await Shelf("Since")
        let (one, two) = (try await shelf.put("one"), try await shelf.put("two"))
        let target = try await shelf.library.addFolder("Target", in: shelf.top, of: shelf.ann)
        let other = try await shelf.library.addFolder("Other", in: shelf.top, of: shelf.ann)
        func move(_ items: [FileEntry.ID], to folder: FolderEntry) async throws -> String? {
            let chosen = items.map { "item-file-\($0)=1" }.joined(separator: "&")
            let form = "\(chosen)&at=\(shelf.fund)-\(folder.id)&act=move&back=/library/favourites"
            return try await shelf.session.post("/library/place", form, shelf.harness)["location"]
        }
        let location = try await move([one.id, two.id], to: target)
        let undo = try #require(try await Self.undo(location, "/library/place", shelf))
        _ = try await move([two.id], to: other)
        let partly = try await shelf.session.post("/library/place", undo, shelf.harness)
        #expect(partly["location"]?.contains("done=changed-partly") == true)
        #expect(try await shelf.names() == ["Other", "Target", "one"])
        let nothing = try await shelf.session.post("/library/place", undo, shelf.harness)
        #expect(nothing["location"]?.contains("done=changed-since") == true)
        #expect(try await shelf.page("/library/favourites?done=changed-since").text.contains("Nothing was undone"))
        try await shelf.harness.stop()
    }

    @Test
    func leavesWhatWasRenamedSince() async throws {
        let shelf = try await Shelf("Since")
        let file = try await shelf.put("first")
        let path = "/library/items/file/\(file.id)/name"
        func rename(_ name: String) async throws -> String? {
            try await shelf.session.post(path, "name=\(name)&back=/library/favourites", shelf.harness)["location"]
        }
        let undo = try #require(try await Self.undo(try await rename("second"), path, shelf))
        _ = try await rename("third")
        let refused = try await shelf.session.post(path, undo, shelf.harness)
        #expect(refused["location"]?.contains("done=changed-since") == true)
        #expect(try await shelf.names() == ["third"])
        // An item that is gone by now.
        try await shelf.library.delete(.file(file.id), if: nil, of: shelf.ann)
        let gone = try await shelf.session.post(path, undo, shelf.harness)
        #expect(gone.status == 303 && gone["location"]?.contains("done=nothing-there") == true)
        try await shelf.harness.stop()
    }

    /// The button of an older page leaves what was restored and deleted again since.
    @Test
    func leavesWhatWasDeletedAgain() async throws {
        let clock = TestClock(running: ())
        var options = ServerHarness.Options()
        options.now = { clock.now }
        let shelf = try await Shelf("Again", options)
        let (one, two) = (try await shelf.put("one"), try await shelf.put("two"))
        let chosen = [one, two].map { "item-file-\($0.id)=1" }.joined(separator: "&")
        func delete() async throws -> String? {
            let form = "\(chosen)&back=/library/favourites"
            let location = try await shelf.session.post("/library/delete", form, shelf.harness)["location"]
            return try await Self.undo(location, "/library/restore", shelf)
        }
        // The page is older by a minute than this deletion.
        clock.advance(-60)
        let older = try #require(try await delete())
        clock.advance(60)
        let refused = try await shelf.session.post("/library/restore", older, shelf.harness)
        #expect(refused["location"]?.contains("done=changed-since") == true)
        #expect(try await shelf.names() == [])
        let restored = try await shelf.session.post("/library/restore", chosen, shelf.harness)
        #expect(restored["location"]?.contains("done=restored") == true)
        let undo = try #require(try await delete())
        _ = try await shelf.session.post("/library/restore", undo, shelf.harness)
        #expect(try await shelf.names() == ["one", "two"])
        try await shelf.harness.stop()
    }

    @Test
    func offersNothingAfterADay() async throws {
        let clock = TestClock()
        var options = ServerHarness.Options()
        options.now = { clock.now }
        let shelf = try await Shelf("Day", options)
        let file = try await shelf.put("one")
        let form = "item-file-\(file.id)=1&back=/library/favourites"
        let location = try await shelf.session.post("/library/delete", form, shelf.harness)["location"]
        // A session is used every few hours.
        for _ in 0..<3 {
            clock.advance(8 * 60 * 60 - 1)
            #expect(try await Self.undo(location, "/library/restore", shelf) != nil)
        }
        clock.advance(3)
        #expect(try await shelf.page(try #require(location)).text.contains("Deleted."))
        #expect(try await Self.undo(location, "/library/restore", shelf) == nil)
        // Nor for what one could write into an address.
        let written = "/library/favourites?done=deleted&undo=file-\(file.id)"
        #expect(try await Self.undo(written, "/library/restore", shelf) == nil)
        try await shelf.harness.stop()
    }
}
