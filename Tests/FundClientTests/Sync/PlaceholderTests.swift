import Foundation
import Testing

@testable import FundClient

/// Renames on file systems without links take the new name by an empty file first.
struct PlaceholderTests {
    private let folder: ModelFolder
    private let placeholders: Placeholders

    init() throws {
        folder = try ModelFolder()
        placeholders = Placeholders(root: folder.root, folder: folder.path("notes"))
    }

    /// Does a rename up to its placeholder, as a run that is killed there. The note is as that leaves it.
    private func kill(before old: String, to new: String, _ take: () throws -> Void) throws {
        var note: (path: String, bytes: Data)?
        try placeholders.noting(folder.path(old), to: folder.path(new)) { () throws(ClientError) in
            guard let name = LocalFiles.names(in: folder.path("notes")).first else { return }
            let path = folder.path("notes/\(name)")
            note = FileManager.default.contents(atPath: path).map { (path, $0) }
        }
        let left = try #require(note)
        #expect(LocalFiles.names(in: folder.path("notes")).isEmpty)
        try left.bytes.write(to: URL(fileURLWithPath: left.path))
        try take()
    }

    private func left() -> [[String]] {
        var all: [[String]] = []
        placeholders.eachLeft { all.append($0) }
        return all
    }

    @Test func areFoundAfterAKill() throws {
        try folder.write("bytes", to: "part")
        try folder.makeFolder("a")
        try kill(before: "part", to: "a/report.pdf") { try folder.write("", to: "a/report.pdf") }
        #expect(left() == [["a", "report.pdf"]])
        #expect(left().isEmpty)
    }

    /// The step itself is left to the next look: what was to have the name may have changed.
    @Test func goToTheTrash() throws {
        let kept = try LocalFolder(folder.root) {}
        let placeholders = Placeholders(root: folder.root, folder: kept.ownPath("placing"))
        try folder.write("bytes", to: ".fund/parts/1")
        let (part, target) = (kept.ownPath("parts/1"), kept.path(["report.pdf"]))
        var note = Data()
        let name = "\(kept.ownPath("placing"))/\(try LocalFiles.status(part).inode)"
        try placeholders.noting(part, to: target) { () throws(ClientError) in
            note = FileManager.default.contents(atPath: name) ?? note
        }
        try note.write(to: URL(fileURLWithPath: name))
        try folder.write("", to: "report.pdf")
        kept.tidyUp(day: "2026-11-28", now: Date.now.timeIntervalSince1970)
        #expect(folder.text("report.pdf") == nil && folder.text(".fund/trash/2026-11-28/report.pdf") == "")
        #expect(folder.text(".fund/parts/1") == "bytes")
        #expect(LocalFiles.names(in: kept.ownPath("placing")).isEmpty)
    }

    @Test func areNotLookedForWhenTheRenameHappened() throws {
        try folder.write("", to: "part")
        try kill(before: "part", to: "empty.txt") { try folder.move("part", to: "empty.txt") }
        #expect(left().isEmpty && folder.text("empty.txt") == "")
    }

    @Test func areNoFilesOfTheUser() throws {
        try folder.write("bytes", to: "part")
        try kill(before: "part", to: "a.txt") { try folder.write("mine", to: "a.txt") }
        #expect(left().isEmpty && folder.text("a.txt") == "mine")
    }
}
