import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// An archived fund is looked at, and nothing of it changes.
struct ArchivePageTests {
    @Test
    func showsAnArchivedFund() async throws {
        let harness = try await ServerHarness()
        let (people, library) = (harness.people, harness.store.library)
        let ann = try await BrowserSession(people.ann, harness)
        let bea = try await BrowserSession(people.bea, harness)
        let place = LibraryPlace(fund: people.fund.id)
        let files = try await library.children(of: place, of: people.ann.id)
        guard case .file(let file)? = files.first else { throw ServerFailure("no file") }
        let folder = try await library.addFolder("Papers", in: place, of: people.ann.id)
        let note = try await library.addNote(
            NoteText(title: "Plan", content: "Buy low."), in: place.fund, of: people.ann.id)
        let target = ItemTarget(.folder(folder.id))
        _ = try await library.move(try #require(files.last).itemID, to: target, if: nil, of: people.ann.id)
        let path = "/library/archive/\(place.fund)"
        #expect(try await ann.get(path, harness).status == 404)
        try await library.archiveFund(place.fund, if: nil, of: people.ann.id)

        let archive = try await ann.get("/library/archive", harness)
        #expect(archive.text.contains("href=\"\(path)\""))
        let page = try await ann.get(path, harness)
        #expect(page.status == 200 && page.text.contains("Archived on") && page.text.contains("Bring it back"))
        for row in ["folder-\(folder.id)", "file-\(file.id)", "email-\(people.email)", "note-\(note.id)"] {
            #expect(page.text.contains("data-key=\"\(row)\""), "\(row)")
        }
        // Nothing of it can be changed from here.
        for act in ["/library/delete", "/library/move", "/upload", "data-drop", "popovertarget=\"new\""] {
            #expect(!page.text.contains(act), "\(act)")
        }
        let papers = try await ann.get("\(path)?folder=\(folder.id)", harness)
        #expect(papers.status == 200 && papers.text.matches(of: /data-key="file-/).count == 1)

        let opened = try await ann.get("\(path)?open=f\(file.id)", harness)
        #expect(opened.text.contains("/library/archive/files/\(file.id)/content"))
        let mail = try await ann.get("\(path)?open=m\(people.email)", harness)
        #expect(mail.status == 200 && !mail.text.contains("/library/attachments/"))
        #expect(try await ann.get("\(path)?open=n\(note.id)", harness).text.contains("Buy low."))
        let content = "/library/archive/files/\(file.id)/content"
        #expect(try await ann.get(content, harness).body.count == Int(file.size))
        // A file that lies in no archived fund is none of it.
        for address in [path, "\(path)?folder=\(folder.id)", "\(path)?open=f\(file.id)", content] {
            #expect(try await bea.get(address, harness).status == 404, "\(address)")
        }
        #expect(try await ann.get("/library/files/\(file.id)/content", harness).status == 404)

        let back = try await ann.post("/library/restore", "item-fund-\(place.fund)=1", harness)
        #expect(back["location"]?.hasPrefix("/library/funds/\(place.fund)/all") == true)
        #expect(try await ann.get(path, harness).status == 404)
        #expect(try await ann.get(content, harness).status == 404)
        try await harness.stop()
    }
}
