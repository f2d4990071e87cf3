import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Names that are taken where something is moved to, new folders there, and what takes a name back.
extension PageListTests {
    /// Each of several names that are taken is asked about; what was moved before the question is taken back with the
    /// others.
    @Test
    func asksAboutEachNameThatIsTaken() async throws {
        let shelf = try await Shelf("Conflicts")
        let names = ["both", "mine", "theirs", "free"]
        var files: [String: FileEntry.ID] = [:]
        for name in names { files[name] = try await shelf.put(name, "new \(name)").id }
        let target = try await shelf.library.addFolder("Target", in: shelf.top, of: shelf.ann)
        let place = LibraryPlace(fund: shelf.fund, folder: target.id)
        for name in names.dropLast() { try await shelf.put(name, "old", in: place) }
        let at = "&at=\(shelf.fund)-\(target.id)&act=move&back=/library"
        func chosen(_ names: [String]) -> String {
            names.compactMap { files[$0].map { "item-file-\($0)=1" } }.joined(separator: "&")
        }
        let asked = try await shelf.session.post("/library/place", chosen(names) + at, shelf.harness)
        #expect(asked.status == 409 && asked.text.contains("3 names are taken there"))
        #expect(asked.text.matches(of: /type="radio" name="taken-file-\d+" value="skip"/).count == 3)
        let earlier = try #require(asked.text.firstMatch(of: /name="earlier" value="([^"]*)"/)?.1)
        let answers = ["both": "number", "mine": "replace", "theirs": "skip"].compactMap { name, how in
            files[name].map { "taken-file-\($0)=\(how)" }
        }
        let taken = names.dropLast()
        let form = chosen(Array(taken)) + at + "&earlier=\(earlier)&" + answers.joined(separator: "&")
        let answer = try await shelf.session.post("/library/place", form, shelf.harness)
        // A file that replaced another, or got a number, is not simply taken back.
        #expect(answer["location"] == "/library?done=moved")
        #expect(try await shelf.names() == ["Target", "theirs"])
        #expect(try await shelf.names(place) == ["both", "both(1)", "free", "mine", "theirs"])
        let skipped = try await shelf.session.post(
            "/library/place", chosen(["theirs"]) + at + "&if_taken=skip", shelf.harness)
        #expect(skipped["location"] == "/library?done=skipped")
        let rest = try await shelf.session.post(
            "/library/place", chosen(["theirs"]) + at + "&if_taken=skip&earlier=\(earlier)", shelf.harness)
        let location = try #require(rest["location"])
        #expect(location.hasPrefix("/library?done=moved&undo="))
        let undo = try await shelf.page(location)
        #expect(undo.text.contains(#"name="at" value="\#(shelf.fund)""#))
        try await shelf.harness.stop()
    }

    /// A new folder is made where one moves, and what is typed is there again when it cannot be.
    @Test
    func movesIntoANewFolder() async throws {
        let shelf = try await Shelf("Folders")
        let file = try await shelf.put("file")
        try await shelf.put("taken")
        let form = "item-file-\(file.id)=1&at=\(shelf.fund)&act=move"
        let refused = try await shelf.session.post("/library/place", form + "&folder=taken", shelf.harness)
        #expect(refused.status == 409 && refused.text.contains(#"name="folder" value="taken""#))
        #expect(refused.text.contains("aria-describedby=\"folder-problem\""))
        let moved = try await shelf.session.post("/library/place", form + "&folder=New", shelf.harness)
        let location = try #require(moved["location"])
        #expect(location.contains("&done=moved&undo=") && location.contains("folder="))
        #expect(try await shelf.names() == ["New", "taken"])
        // The button beside the outcome takes it back.
        let page = try await shelf.page(location).text
        let undo = try #require(
            page.firstMatch(of: /<form method="post" action="\/library\/place" data-act>.*?<\/form>/))
        let fields = String(undo.0).matches(of: /name="([^"]*)" value="([^"]*)"/).map { "\($0.1)=\($0.2)" }
            .filter { !$0.hasPrefix("csrf=") }
        _ = try await shelf.session.post("/library/place", fields.joined(separator: "&"), shelf.harness)
        #expect(try await shelf.names() == ["New", "file", "taken"])
        try await shelf.harness.stop()
    }

    /// A name goes back to what it was, by an address that no one else can make.
    @Test
    func takesANameBack() async throws {
        let shelf = try await Shelf("Names")
        let file = try await shelf.put("before.txt")
        let path = "/library/items/file/\(file.id)/name"
        let answer = try await shelf.session.post(path, "name=after.txt&back=/library/favourites", shelf.harness)
        let location = try #require(answer["location"])
        #expect(location.hasPrefix("/library/favourites?done=renamed&undo="))
        let page = try await shelf.page(location).text
        #expect(page.contains("action=\"\(path)\"") && page.contains(#"name="name" value="before.txt""#))
        for wrong in ["name file-\(file.id) x", "bmFtZSBmaWxlLTEgeA", ""] {
            let text = wrong.replacing(" ", with: "+")
            let made = try await shelf.page("/library/favourites?done=renamed&undo=\(text)").text
            #expect(!made.contains("action=\"\(path)\""))
        }
        let bea = try await BrowserSession(shelf.harness.people.bea, shelf.harness)
        #expect(try await !bea.get(location, shelf.harness).text.contains("action=\"\(path)\""))
        try await shelf.harness.stop()
    }
}
