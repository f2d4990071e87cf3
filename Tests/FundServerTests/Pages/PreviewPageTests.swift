import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Thumbnails on pages, and documents page by page.
struct PreviewPageTests {
    private static func info(_ type: TrueType, pages: Int? = nil) -> FileInfo {
        var info = FileInfo(type)
        (info.pageCount, info.width, info.height) = (pages, 595, 842)
        return info
    }

    private static func version(_ file: FileEntry) -> String { String(file.digest.hex.prefix(10)) }

    @Test
    func listsShowThumbnails() async throws {
        let place = try await PreviewedFund()
        let ready = try await place.put("ready.pdf")
        let making = try await place.put("making.pdf", "application/pdf", .making(ahead: 2))
        _ = try await place.put("failed.pdf", "application/pdf", .failed(.encrypted))
        // A text has no picture to wait for, and the page does not say so.
        let text = try await place.put("notes.txt", "text/plain", .making(ahead: 2))
        let song = try await place.put("song.mp3", "audio/mpeg", .making(ahead: 2))
        _ = try await place.put("data.bin", "application/octet-stream", .failed(.unsupported))
        for view in ["list", "grid"] {
            place.previews.state.withLock { $0.lists = [] }
            let page = try await place.page("/library/funds/\(place.fund)?view=\(view)").text
            let source = "/library/files/\(ready.id)/preview?v=\(Self.version(ready))"
            #expect(
                page.contains(
                    #" pic" aria-hidden="true"><img src="\#(source)" alt="" loading="lazy" decoding="async" "#
                        + #"width="339" height="480"><b>PDF</b></span>"#))
            let wanted = "/library/files/\(making.id)/preview?v=\(Self.version(making))"
            let asked = #" aria-hidden="true" data-preview="\#(wanted)" data-held="Quarantined">"#
            #expect(page.contains(asked + "<b>PDF</b></span>"))
            // Once for the mouse, and once for screen readers, which do not see the badge.
            let reason = "This file is protected by a password."
            #expect(
                page.contains(
                    #" aria-hidden="true" title="\#(reason)"><b>PDF</b></span><span class="hidden">\#(reason)</span>"#))
            #expect(page.contains(#"class="rows files pictures"#))
            #expect(!page.contains("/library/files/\(text.id)/preview"))
            #expect(page.contains(#" aria-hidden="true"><b>TXT</b></span>"#))
            #expect(page.contains(#"data-preview="/library/files/\#(song.id)/preview?v="#))
            #expect(page.contains(#/aria-hidden="true" title="There is no preview of this kind[^"]*"><b>BIN</#))
            #expect(page.contains(#/BIN<\/b><\/span><span class="hidden">There is no preview of this kind/#))
            #expect(place.previews.state.withLock { $0.lists.map(\.count) } == [6])
        }
        let chinese = try await place.page("/library/funds/\(place.fund)", ["Accept-Language": "zh"])
        #expect(chinese.text.contains(#"title="此文件受密码保护。""#))
        try await place.harness.stop()
    }

    /// In words that all see, not in a title alone: it is refused when it is opened.
    @Test
    func listsSayWhatIsQuarantined() async throws {
        let place = try await PreviewedFund()
        _ = try await place.put("sound.pdf", "application/pdf", .failed(.damaged))
        _ = try await place.put("notice.pdf", "application/pdf", .failed(.quarantined))
        for (language, word) in [("en", "Quarantined"), ("zh", "已隔离")] {
            for view in ["list", "grid"] {
                let page = try await place.page(
                    "/library/funds/\(place.fund)?view=\(view)", ["Accept-Language": language])
                #expect(page.text.ranges(of: #"<b class="held" aria-hidden="true">\#(word)</b>"#).count == 1)
            }
        }
        try await place.harness.stop()
    }

    /// Above the player stands how loud it is, drawn from numbers.
    @Test
    func soundsShowHowLoudTheyAre() async throws {
        let place = try await PreviewedFund()
        var info = FileInfo(.mp3)
        info.milliseconds = 3_729_400
        let ready = try await place.put("ready.mp3", "audio/mpeg", .ready, info)
        let source = "/library/files/\(ready.id)/preview/waveform?v=\(Self.version(ready))"
        let page = try await place.page(of: ready)
        #expect(page.contains(#"<span class="wave pic" aria-hidden="true"><img src="\#(source)" alt="""#))
        #expect(page.contains("· 1:02:09<") && page.contains("<audio "))
        let drawing = try await place.page(source)
        #expect(drawing.status == 200 && drawing["content-type"] == "image/svg+xml")
        #expect(drawing["cache-control"] == "private, max-age=31536000, immutable")
        #expect(drawing["content-security-policy"]?.contains("sandbox") ?? false)
        #expect(drawing.text.hasPrefix("<svg ") && !drawing.text.contains("bytes of"))
        let making = try await place.put("making.mp3", "audio/mpeg", .making(ahead: 2))
        let wanted = "/library/files/\(making.id)/preview/waveform?v=\(Self.version(making))"
        #expect(
            try await place.page(of: making).contains(
                #"<span class="wave" aria-hidden="true" data-preview="\#(wanted)"></span>"#))
        #expect(try await place.page(wanted).status == 202)
        let broken = try await place.put("broken.mp3", "audio/mpeg", .failed(.damaged), FileInfo(.mp3))
        #expect(try await !place.page(of: broken).contains(#"class="wave"#))
        // A file that is no sound by its bytes has none, whatever its mail says.
        let other = try await place.put("other.mp3", "audio/mpeg", .ready, Self.info(.jpeg))
        #expect(try await !place.page(of: other).contains(#"class="wave"#))
        let bea = try await BrowserSession(place.harness.people.bea, place.harness)
        #expect(try await bea.get(source, place.harness).status == 404)
        try await place.harness.stop()
    }

    /// Without previews, pages are as before there were any.
    @Test
    func listsWithoutPreviewsShowBadges() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let page = try await session.get("/library/funds/\(harness.people.fund.id)", harness).text
        #expect(page.contains(#"aria-hidden="true"><b>PDF</b></span>"#) && page.contains(#"class="rows files""#))
        #expect(!page.contains("preview?") && !page.contains("<img"))
        let id = try #require(page.firstMatch(of: /open=f(\d+)/)?.1)
        let file = "/library/files/\(id)"
        let answer = try await session.get(file + "/preview", harness, fields: ["Accept": "application/json"])
        #expect(answer.status == 422 && answer.text == #"{"detail":"This server makes no previews."}"#)
        try await harness.stop()
    }

    @Test
    func hitsAndMailShowThumbnails() async throws {
        let place = try await PreviewedFund()
        while try await place.harness.store.maintenance.index.indexPending() > 0 {}
        let hits = try await place.page("/library/search?q=report").text
        #expect(hits.contains(/<img src="\/library\/files\/\d+\/preview\?v=[0-9a-f]{10}" alt=""/))
        let mail = try await place.page("/library/emails/\(place.harness.people.email)").text
        let source = try #require(
            mail.firstMatch(of: /<img src="(\/library\/attachments\/\d+\/preview\?v=[0-9a-f]{10})" alt=""/)?.1)
        let picture = try await place.page(String(source))
        #expect(picture.status == 200 && picture.body == SamplePreviews.picture)
        #expect(picture["cache-control"] == "private, max-age=31536000, immutable")
        let bea = try await BrowserSession(place.harness.people.bea, place.harness)
        #expect(try await bea.get(String(source), place.harness).status == 404)
        try await place.harness.stop()
    }

    /// Attributes that the page's script reads.
    @Test
    func answersScripts() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.docx", "application/octet-stream", .making(ahead: 2))
        let (path, fields) = ("/library/files/\(file.id)/preview", ["Accept": "application/json"])
        let making = try await place.page(path, fields)
        #expect(making.status == 202 && making["retry-after"] == "1")
        for failure in RenditionFailure.allCases {
            place.previews.set(.failed(failure), of: file.digest)
            for language in Language.allCases {
                let answer = try await place.page(path, fields.merging(["Accept-Language": language.tag]) { $1 })
                #expect(answer.status == (failure == .quarantined ? 403 : 422))
                let sentence = Words(language: language)("preview.\(failure.rawValue)")
                #expect(answer.text == #"{"detail":"\#(sentence)"}"#)
            }
        }
        let nobody = try await place.harness.send("GET", path, fields: fields)
        #expect(nobody.status == 303)
        try await place.harness.stop()
    }

    // MARK: The page of a file

    /// The pages of a document stand below each other, each with its room, and those that are far come later.
    @Test
    func showsPagesBelowEachOther() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.pdf", "application/pdf", .ready, Self.info(.pdf, pages: 3))
        let base = "/library/files/\(file.id)/preview?v=\(Self.version(file))"
        let first = try await place.page(of: file)
        #expect(first.contains(#"data-page="1" data-count="3" data-zoom="width""#))
        #expect(first.matches(of: /data-leaf="/).count == 3)
        // An A4 page within 1600 × 1600 pixels.
        let image = #"<img src="\#(base)&amp;size=1600&amp;page="#,
            size = #"decoding="async" width="1131" height="1600""#
        #expect(first.contains(image + #"1" alt="Page 1 of this file" "# + size))
        #expect(first.contains(image + #"3" alt="Page 3 of this file" loading="lazy" "# + size))
        #expect(first.contains("<span>of 3</span>") && !first.contains("data-section"))
        #expect(first.contains(#"href="/library/files/\#(file.id)/content?inline=true""#))
        #expect(!first.contains(#"class="viewer pdf""#))
        let list = "/library/funds/\(place.fund)?"
        #expect(first.contains(#"href="\#(list)open=f\#(file.id)&amp;zoom=large#p1" data-zoom="larger""#))
        let last = try await place.page(of: file, "?page=3&zoom=large&sort=-size")
        #expect(last.contains(#"href="\#(list)sort=-size&amp;open=f\#(file.id)&amp;page=3#p3" data-zoom="smaller""#))
        #expect(!last.contains(#"data-zoom="larger""#))
        #expect(last.contains(#"<input type="hidden" name="sort" value="-size">"#))
        #expect(last.contains(#"<input type="hidden" name="open" value="f\#(file.id)">"#))
        // Further pages than there are lead to the last one; other texts to none.
        #expect(try await place.page(of: file, "?page=99").contains(#"data-page="3""#))
        for wrong in ["0", "-1", "x", "99999999999999999999"] {
            #expect(try await place.page("/library/files/\(file.id)?page=\(wrong)").status == 400, "\(wrong)")
        }
        let hostile = try await place.page(of: file, "?zoom=%22%3E%3Cscript%3E&in=search&q=%22%3E%3Cb%3E")
        #expect(!hostile.contains("<script>") && hostile.contains(#"data-zoom="width""#))
        #expect(hostile.contains(#"name="q" value="&quot;&gt;&lt;b&gt;""#))
        try await place.harness.stop()
    }

    /// A long document without scripts: sections of fifty pages, with links to those before and behind.
    @Test
    func showsLongDocumentsInSections() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.pdf", "application/pdf", .ready, Self.info(.pdf, pages: 120))
        let middle = try await place.page(of: file, "?page=60")
        #expect(middle.matches(of: /data-leaf="/).count == 50)
        #expect(middle.contains(#"data-leaf="51""#) && middle.contains(#"data-leaf="100""#))
        let list = "/library/funds/\(place.fund)?open=f\(file.id)&amp;page="
        #expect(middle.contains(#"href="\#(list)50#p50" data-section"#))
        #expect(middle.contains(#"href="\#(list)101#p101" data-section"#))
        let end = try await place.page(of: file, "?page=120")
        #expect(end.matches(of: /data-leaf="/).count == 20 && end.contains(#"href="\#(list)100#p100""#))
        try await place.harness.stop()
    }

    /// A file of which nothing is known yet is asked for before the answer is written.
    @Test
    func looksAtWhatIsNew() async throws {
        let place = try await PreviewedFund()
        let office = try await place.put("new.docx", "application/octet-stream", .making(ahead: 1))
        let page = try await place.page(of: office, "?page=2")
        #expect(page.contains("data-viewer") && !page.contains("data-count"))
        #expect(page.contains(#"data-leaf="2""#) && page.matches(of: /data-leaf="/).count == 1)
        #expect(place.previews.state.withLock { $0.asked } == [RenditionKey(office.digest, .page, page: 2)])
        // Its bytes say something else.
        place.previews.set(.ready, of: office.digest, Self.info(.zip))
        #expect(try await place.page(of: office).contains(#"/preview/text?v="#))
        place.previews.set(.ready, of: office.digest, Self.info(.unknown))
        #expect(try await place.page(of: office).contains("This kind of file cannot be shown here."))
        try await place.harness.stop()
    }

    /// Pictures that browsers do not show, and those that they do.
    @Test(arguments: [
        ("a.heic", "image/heic", TrueType.heic, true), ("a.svg", "image/svg+xml", .svg, true),
        ("a.tif", "image/tiff", .tiff, true), ("a.bin", "application/octet-stream", .jpeg, true),
        ("a.jpg", "image/jpeg", .jpeg, false), ("a.bmp", "image/bmp", .bmp, false),
    ])
    func showsPictures(name: String, contentType: String, type: TrueType, isMade: Bool) async throws {
        let place = try await PreviewedFund()
        let file = try await place.put(name, contentType, .ready, Self.info(type))
        let page = try await place.page(of: file)
        #expect(page.contains("data-viewer") == isMade && page.contains(#"<p class="viewer">"#) != isMade)
        #expect(!page.contains("name=\"page\""))
        if isMade { #expect(try await place.page(of: file, "?zoom=large").contains("&amp;size=2560&amp;page=1")) }
        try await place.harness.stop()
    }

    @Test
    func saysWhyThereIsNone() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.pdf", "application/pdf", .failed(.encrypted), Self.info(.pdf))
        let page = try await place.page(of: file)
        #expect(page.contains("<p>This file is protected by a password. Download it to open it.</p>"))
        #expect(page.contains(#"class="viewer pdf""#) && page.contains("content\" download "))
        #expect(!page.contains("data-viewer"))
        let office = try await place.put("b.xlsx", "application/octet-stream", .failed(.noTool))
        let other = try await place.page(of: office)
        #expect(other.contains("is not installed on the server.") && !other.contains("cannot be shown here"))
        try await place.harness.stop()
    }

    @Test
    func videosHaveAPoster() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.mp4", "video/mp4", .ready, Self.info(.mp4))
        let poster = #"poster="/library/files/\#(file.id)/preview?v=\#(Self.version(file))""#
        #expect(try await place.page(of: file).contains(poster))
        place.previews.set(.making(ahead: 0), of: file.digest)
        #expect(try await !place.page(of: file).contains("poster="))
        try await place.harness.stop()
    }

    /// In a frame, words say what keeps the text away, and it loads itself again.
    @Test
    func framesText() async throws {
        let place = try await PreviewedFund()
        let file = try await place.put("a.pdf", "application/pdf", .ready, Self.info(.pdf, pages: 3))
        let (path, frame) = ("/library/files/\(file.id)/preview/text?page=2", ["Sec-Fetch-Dest": "iframe"])
        let text = try await place.page(path, frame)
        #expect(text.text == "Words <b>of</b> page 2" && text["content-type"] == "text/plain; charset=utf-8")
        #expect(text["content-security-policy"] == ContentHeaders.policy)
        place.previews.set(.making(ahead: 1), of: file.digest)
        let making = try await place.page(path, frame)
        #expect(making.status == 200 && making["refresh"] == "2" && making.text == "The preview is being made.")
        #expect(try await place.page(path).status == 202)
        place.previews.set(.failed(.damaged), of: file.digest)
        let failed = try await place.page(path, frame)
        #expect(failed.status == 200 && failed["refresh"] == nil && failed.text.hasPrefix("This file is damaged"))
        #expect(failed["content-security-policy"]?.contains("frame-ancestors 'self'") == true)
        try await place.harness.stop()
    }
}
