import FundCore
import FundStore
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Files of a drive as pages, with previews that are made of a copy.
struct DriveFilePageTests {
    private static let pdf = Array("%PDF-1.6 canary".utf8)
    private static let hostile = Array("<b>bold</b> & more".utf8)

    @Test
    func aFileIsShownFromACopy() async throws {
        let previews = SamplePreviews()
        let place = try await DrivePagePlace(
            ["In": .none, "In/q 3.pdf": Self.pdf, "In/a.txt": Self.hostile, "a.wav": [1, 2]], .with(previews))
        let drive = try await place.addDrive()
        #expect(try await place.get("\(drive)?path=In").text.contains("\(drive)/file?path=In/q%203.pdf"))
        let page = try await place.get("\(drive)/file?path=In/q%203.pdf")
        #expect(page.status == 200 && page["cache-control"] == "no-store", "\(page.text.prefix(400))")
        #expect(
            page.text.contains("/preview?path=In/q%203.pdf&amp;size=1600&amp;page=3") && page.text.contains("3 pages"))
        #expect(page.text.contains(#"\#(drive)/content?path=In/q%203.pdf" download"#))
        #expect(page.text.contains(#"action="\#(drive)/take""#))
        let picture = try await place.get("\(drive)/preview?path=In/q%203.pdf&size=1600&page=2")
        #expect(Array(picture.body) == SamplePreviews.picture && picture["content-type"] == "image/webp")
        #expect(picture["cache-control"] == "no-store")
        #expect(try await place.get("\(drive)/preview?path=In/q%203.pdf&page=9").status == 422)
        #expect(try await place.get("\(drive)/preview?path=In/q%203.pdf&size=7").status == 400)
        #expect(try await place.get("\(drive)/preview?path=In").status == 400)
        // Words of a file are text.
        let text = try await place.get("\(drive)/file?path=In/a.txt")
        #expect(text.text.contains("&lt;b&gt;bold&lt;/b&gt; &amp; more") && !text.text.contains("<b>bold"))
        let words = try await place.get("\(drive)/preview/text?path=In/a.txt")
        #expect(Array(words.body) == Self.hostile && words["content-type"] == "text/plain; charset=utf-8")
        #expect(words["content-security-policy"]?.contains("sandbox") == true)
        // A sound is not copied, and a folder has a page of its own.
        let sound = try await place.get("\(drive)/file?path=a.wav")
        #expect(sound.status == 200 && sound.text.contains("This kind of file cannot be shown here."))
        #expect(try await place.get("\(drive)/file?path=In")["location"] == "\(drive)?path=In")
        try await place.harness.stop()
    }

    /// A page says why it shows nothing, and offers nothing where there is no file.
    @Test
    func saysWhatKeepsAPreviewAway() async throws {
        let previews = SamplePreviews()
        let place = try await DrivePagePlace(["a.pdf": Self.pdf], .with(previews))
        let drive = try await place.addDrive()
        previews.state.withLock { $0.usual = .failed(.encrypted) }
        let locked = try await place.get("\(drive)/file?path=a.pdf")
        #expect(locked.text.contains("This file is protected by a password."))
        #expect(locked.text.contains("Download it, or take it into a fund."))
        previews.state.withLock { $0.usual = .ready }
        #expect(try await place.get("\(drive)/file?path=a.pdf").text.contains("3 pages"))
        let gone = try await place.get("\(drive)/file?path=b.pdf")
        #expect(gone.status == 404 && gone.text.contains("The store has nothing of this name."))
        #expect(!gone.text.contains("\(drive)/take") && !gone.text.contains("\(drive)/content"))
        let entry = try await place.get("\(drive)/entry?path=b.pdf")
        #expect(entry.status == 404 && !entry.text.contains("\(drive)/move"))
        // Nothing of a drive is shown to whom it does not belong any more.
        #expect(try await place.post("\(drive)/remove", "").status == 303)
        #expect(try await place.get("\(drive)/preview?path=a.pdf").status == 404)
        #expect(try await place.get("\(drive)/file?path=a.pdf").status == 404)
        try await place.harness.stop()
    }

    @Test
    func aServerWithoutPreviewsSaysSo() async throws {
        let place = try await DrivePagePlace(["a.pdf": Self.pdf])
        let drive = try await place.addDrive()
        let page = try await place.get("\(drive)/file?path=a.pdf")
        #expect(
            page.status == 200 && page.text.contains("\(drive)/content?path=a.pdf")
                && !page.text.contains("<img src=\"\(drive)"))
        #expect(try await place.get("\(drive)/preview?path=a.pdf").status == 422)
        try await place.harness.stop()
    }

    /// The tree shows the folders of one place, and the way to it.
    @Test
    func aFolderIsChosenStepByStep() async throws {
        let place = try await DrivePagePlace(
            ["In": .none, "In/Deep": .none, "In/Deep/Down": .none, "Out": .none, "a.txt": [1]])
        let drive = try await place.addDrive()
        let id = drive.split(separator: "/").last ?? ""
        let first = try await place.get("\(drive)/entry?path=a.txt")
        #expect(first.text.contains(#"name="at" value="\#(id)/" required checked"#))
        #expect(first.text.contains(#"value="\#(id)/Out""#) && !first.text.contains("Deep"))
        let opened = try await place.post("\(drive)/entry", "path=a.txt&name=b.txt&open=\(id)/In")
        #expect(opened.text.contains(#"value="\#(id)/In/Deep""#) && !opened.text.contains(#"value="\#(id)/Out""#))
        #expect(opened.text.contains(#"name="at" value="\#(id)/In" required checked"#))
        #expect(opened.text.contains(#"value="b.txt""#))
        // No folder goes into itself.
        let own = try await place.post("\(drive)/entry", "path=In/Deep&open=\(id)/In")
        #expect(!own.text.contains(#"value="\#(id)/In/Deep""#))
        let moved = try await place.post("\(drive)/move", "path=a.txt&name=a.txt&at=\(id)/In/Deep&new-folder=New")
        #expect(moved["location"]?.hasPrefix("\(drive)?path=In/Deep/New") == true, "\(moved.text.prefix(400))")
        for at in ["", "0/", "\(id)", "x/In", "\(id)/../x"] {
            #expect(try await place.post("\(drive)/move", "path=In&name=In&at=\(at)").status == 400)
        }
        place.drives.failure.withLock { $0 = .unreachable }
        let unread = try await place.post("\(drive)/entry", "path=Out&open=\(id)/In/Deep/Down")
        #expect(unread.text.contains("The store cannot be reached."))
        try await place.harness.stop()
    }
}
