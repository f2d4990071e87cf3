import FundCore
import FundStore
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// The pages of drives.
struct DrivePageTests {
    private typealias Place = DrivePagePlace

    /// A refused form gives back all but the secret, and the failure stands at its field.
    @Test func saysAtTheFieldWhatIsWrong() async throws {
        let place = try await Place()
        #expect(try await place.get("/library").text.contains(#"href="/library/drives""#))
        let kinds = try await place.get("/library/drives/new")
        #expect(kinds.text.contains("kind=webdav") && !kinds.text.contains("kind=koofr"))
        let refused = try await place.add("wrong-secret")
        #expect(refused.status == 422 && refused.text.contains(##"<a href="#set-key">"##))
        #expect(refused.text.contains("ann-account") && !refused.text.contains("wrong-secret"))
        let drive = try await place.addDrive()
        let again = try await place.add()
        #expect(again.status == 422 && again.text.contains("The name is taken."))
        #expect(try await place.post("\(drive)/settings", "renames=1&name=Other").status == 303)
        let settings = try await place.get("\(drive)/settings")
        #expect(settings.text.contains("Other") && !settings.text.contains("ann-account"))
        #expect(try await place.post("\(drive)/remove", "").status == 303)
        #expect(try await place.get(drive).status == 404)
        try await place.harness.stop()
    }

    /// Names of a store are text, and paths lead to what they name.
    @Test func showsFolders() async throws {
        let hostile = #"<img src=x> "&.txt"#
        let place = try await Place(["Q 3": .none, "Q 3/\(hostile)": [1, 2, 3], "plain.txt": [1]])
        let drive = try await place.addDrive()
        let top = try await place.get(drive)
        #expect(top.status == 200 && top.text.contains("1.5 MB of 2.0 MB free") && top.text.contains("?path=Q%203\""))
        let inner = try await place.get("\(drive)?path=Q%203&sort=-size")
        #expect(inner.text.contains("&lt;img src=x&gt;") && !inner.text.contains("<img src=x>"))
        let content = try await place.get("\(drive)/content?path=plain.txt")
        #expect(Array(content.body) == [1] && content["content-security-policy"]?.contains("sandbox") == true)
        #expect(try await place.get("\(drive)?q=plain").text.contains("plain.txt"))
        #expect(try await place.get("\(drive)?path=../x").status == 400)
        place.drives.failure.withLock { $0 = DriveProblem.login }
        let failed = try await place.get("\(drive)?path=Other")
        #expect(failed.status == 422 && failed.text.contains("The store refuses the login."))
        try await place.harness.stop()
    }

    /// The list tells whose account it is and how much room there is, and leads to a new sign-in where one is needed.
    @Test func theListTellsOfEachDrive() async throws {
        let place = try await Place()
        let added = try await place.post(
            "/library/drives/new",
            "kind=webdav&name=Work&set-url=https://cloud.example.com/&set-user=ann-user&set-pass=right")
        #expect(added.status == 303, "\(added.text.prefix(400))")
        let list = try await place.get("/library/drives")
        #expect(list.text.contains("ann-user") && list.text.contains("1.5 MB of 2.0 MB free"))
        #expect(list.text.contains(#"<progress value="500000" max="2000000""#) && !list.text.contains("#anew"))
        let drive = try #require(
            try await place.harness.store.drives.drives(of: place.harness.people.ann.id).first)
        #expect(drive.account == "ann-user")
        try await place.harness.store.drives.noteProblem(.login, of: drive.id)
        let ended = try await place.get("/library/drives")
        #expect(ended.text.contains(#"href="/library/drives/\#(drive.id)/settings#anew""#))
        #expect(ended.text.contains("The store refuses the login.") && !ended.text.contains("1.5 MB"))
        // A folder that is gone offers nothing, and leads up.
        place.drives.failure.withLock { $0 = .notFound }
        let gone = try await place.get("/library/drives/\(drive.id)?path=In/Deep")
        #expect(gone.status == 404 && gone.text.contains("This folder is not there."))
        #expect(gone.text.contains(#"href="/library/drives/\#(drive.id)?path=In""#))
        #expect(!gone.text.contains("/folders\"") && !gone.text.contains("/watches/new"))
        try await place.harness.stop()
    }

    /// Nothing is deleted before a page has named it.
    /// A store that does not tell its room is not asked again by each list.
    @Test func aListAsksAStoreThatFailsOnce() async throws {
        let place = try await Place()
        _ = try await place.addDrive()
        place.drives.failure.withLock { $0 = DriveProblem.server }
        for _ in 0..<3 { #expect(try await place.get("/library/drives").status == 200) }
        #expect(place.drives.spacesAsked.load(ordering: .relaxed) == 1)
        try await place.harness.stop()
    }

    @Test func changesWhatIsThere() async throws {
        let place = try await Place(["a.txt": [1], "b.txt": [1]])
        let drive = try await place.addDrive()
        let asked = try await place.post("\(drive)/delete", "path=&entry-a.txt=on")
        #expect(asked.status == 200 && asked.text.contains("a.txt") && asked.text.contains(#"name="sure""#))
        #expect(try await place.get(drive).text.contains("a.txt"))
        #expect(try await place.post("\(drive)/delete", "path=&sure=1&entry-a.txt=1").status == 303)
        #expect(try await !place.get(drive).text.contains("a.txt"))
        // A name that begins with a combining mark is a name.
        #expect(try await place.post("\(drive)/folders", "path=&name=\u{301}x").status == 303)
        let marked = try await place.post("\(drive)/delete", "path=&entry-%CC%81x=on")
        // The bytes are compared: in a text the mark and the character before it are one.
        #expect(marked.text.utf8.contains(#"name="entry-\#u{301}x""#.utf8))
        let many = (1...51).map { "&entry-\($0)=on" }.joined()
        #expect(try await place.post("\(drive)/delete", "path=\(many)").status == 400)
        #expect(try await place.post("\(drive)/delete", "path=&sure=1&entry-..=1&entry-b.txt=1").status == 400)
        #expect(try await place.get(drive).text.contains("b.txt"))
        #expect(try await place.post("\(drive)/folders", "path=&name=..").status == 422)
        #expect(try await place.post("\(drive)/folders", "path=&name=New").status == 303)
        let id = drive.split(separator: "/").last ?? ""
        #expect(try await place.post("\(drive)/move", "path=b.txt&name=New&at=\(id)/").status == 422)
        #expect(try await place.post("\(drive)/move", "path=b.txt&name=c.txt&at=\(id)/New").status == 303)
        #expect(try await place.get("\(drive)?path=New").text.contains("c.txt"))
        try await place.harness.stop()
    }

    @Test func watchesAFolder() async throws {
        let place = try await Place(["In": .none, "In/a.txt": [1]])
        let drive = try await place.addDrive()
        let fund = place.harness.people.fund.id
        #expect(try await place.get("\(drive)?path=In").text.contains("\(drive)/watches/new?path=In"))
        #expect(try await place.get("\(drive)/watches/new?path=In").text.contains(#"name="at" value="\#(fund)""#))
        let opened = try await place.post("\(drive)/watches/new", "path=In&open=\(fund)&then=mark&minutes=7")
        #expect(opened.text.contains(#"<option value="mark" selected"#) && opened.text.contains(#"value="7""#))
        let refused = try await place.post(
            "\(drive)/watches", "path=In&at=\(fund)&then=move&subfolder=Done&minutes=0")
        #expect(refused.status == 422 && refused.text.contains(##"<a href="#minutes">"##))
        let form = "path=In&at=\(fund)&then=move&subfolder=Done&minutes=7&new-folder=Post"
        let added = try await place.post("\(drive)/watches", form)
        #expect(added["location"] == "\(drive)/watches?done=watch-added", "\(added.text.prefix(400))")
        let list = try await place.get("\(drive)/watches")
        #expect(list.text.contains("every 7 min") && list.text.contains("0 filed, 0 waiting"))
        #expect(try await place.get("\(drive)?path=In").text.contains("This folder is watched"))
        let watch = try #require(
            try await place.harness.store.drives.watches(of: place.harness.people.ann.id).first)
        #expect(watch.place.folder != nil && watch.rules == WatchRules(.move, folder: "Done", minutes: 7))
        let again = try await place.post("\(drive)/watches", "path=In&at=\(fund)&subfolder=Filed&minutes=5")
        #expect(again.status == 422 && again.text.contains("The folder is watched already."))
        let path = "\(drive)/watches/\(watch.id)"
        #expect(try await place.post("\(path)/pause", "").status == 303)
        #expect(try await place.get("\(drive)/watches").text.contains("Paused"))
        #expect(try await place.post("\(path)/look", "").status == 303)
        #expect(try await place.post("\(path)/remove", "").status == 303)
        #expect(try await place.post("\(path)/pause", "").status == 404)
        #expect(try await place.get("\(drive)/watches").text.contains("No folder of this drive is watched."))
        try await place.harness.stop()
    }

    @Test func takesIntoAFundAndBack() async throws {
        let place = try await Place(["a.txt": [1]])
        let drive = try await place.addDrive()
        let fund = place.harness.people.fund.id
        let dialog = try await place.post("\(drive)/take", "path=&entry-a.txt=on")
        #expect(dialog.status == 200 && dialog.text.contains(#"name="at" value="\#(fund)""#))
        #expect(try await place.post("\(drive)/take", "path=").status == 303)
        let taken = try await place.post("\(drive)/taken", "path=&entry-a.txt=1&at=\(fund)&new-folder=Taken")
        #expect(taken["location"] == "/library/drives/transfers?done=transfer-begun")
        let list = try await place.get("/library/drives/transfers")
        #expect(list.text.contains("Waiting") && list.text.contains(#"content="3""#))
        let store = place.harness.store
        let items = try await store.library.children(of: LibraryPlace(fund: fund), of: place.harness.people.ann.id)
        let key = try #require(
            items.compactMap { if case .file(let file) = $0 { "item-file-\(file.id)" } else { nil } }.first)
        #expect(try await place.get("/library/drives/copy?\(key)=1").text.contains("Cloud"))
        let id = drive.split(separator: "/").last ?? ""
        let pushed = try await place.post("/library/drives/copied", "\(key)=1&at=\(id)/&new-folder=Reports")
        #expect(pushed["location"] == "/library/drives/transfers?done=transfer-begun")
        let transfers = try await store.drives.transfers(of: place.harness.people.ann.id, PageQuery()).items
        #expect(transfers.map(\.direction) == [.push, .pull])
        let first = try #require(transfers.first?.id)
        #expect(try await place.post("/library/drives/transfers/\(first)/cancel", "").status == 303)
        #expect(try await place.get("/library/drives/transfers").text.contains("Cancelled"))
        try await place.harness.stop()
    }
}
