import FundCore
import FundHTTP
import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

/// Pages of share links: people outside see the things of a link, and nothing else.
struct SharedPageTests {
    /// Files, a folder with one, a note and the email of Ann, with those that no link shows.
    struct Things {
        let files: [FileEntry]
        let folder: FolderEntry
        let inner: FolderEntry
        let inside: FileEntry
        let note: NoteEntry
        let email: EmailEntry

        init(_ harness: ServerHarness) async throws {
            let (library, ann, fund) = (harness.store.library, harness.people.ann.id, harness.people.fund.id)
            let place = LibraryPlace(fund: fund)
            folder = try await library.addFolder("Board", in: place, of: ann)
            inner = try await library.addFolder("Minutes", in: LibraryPlace(fund: fund, folder: folder.id), of: ann)
            let listed = try await library.children(of: place, of: ann)
            files = listed.compactMap { if case .file(let file) = $0 { file } else { nil } }
            let copy = try await library.copy(
                .file(files[0].id), to: ItemTarget(.folder(inner.id)), isShallow: false, if: nil, of: ann)
            guard case .file(let file) = copy else { throw ServerFailure("no file") }
            inside = file
            note = try await library.addNote(
                NoteText(title: "Agenda", content: "First & <b>last</b>"), in: fund, of: ann)
            email = try await library.email(harness.people.email, of: ann)
        }

        /// The addresses of each route below a link, for things of it or of another.
        func addresses() -> [String] {
            let (file, attachment) = (files[0].id, email.attachments[0].id)
            return [
                "", "/folders/\(folder.id)", "/folders/\(inner.id)", "/zip", "/folders/\(folder.id)/zip",
                "/files/\(file)", "/files/\(file)/content", "/files/\(file)/preview", "/files/\(inside.id)",
                "/files/\(inside.id)/content", "/files/\(inside.id)/preview", "/attachments/\(attachment)",
                "/attachments/\(attachment)/content", "/attachments/\(attachment)/preview", "/notes/\(note.id)",
                "/notes/\(note.id)/text", "/mails/\(email.summary.id)", "/mails/\(email.summary.id)/message",
            ]
        }
    }

    /// By kind of link: the beginnings of the addresses that it opens.
    static func opened(_ things: Things) -> [(items: [LibraryItemID], opens: [String])] {
        let file = things.files[0].id
        return [
            ([.file(file)], ["/zip", "/files/\(file)"]),
            (
                [.folder(things.folder.id)],
                ["/zip", "/folders/\(things.folder.id)", "/folders/\(things.inner.id)", "/files/\(things.inside.id)"]
            ),
            ([.folder(things.inner.id)], ["/zip", "/folders/\(things.inner.id)", "/files/\(things.inside.id)"]),
            ([.note(things.note.id)], ["/notes/"]),
            ([.email(things.email.summary.id)], ["/zip", "/mails/", "/attachments/"]),
        ]
    }

    /// Every route is among the addresses that the tests below ask for.
    @Test func eachRouteIsAskedFor() async throws {
        let harness = try await ServerHarness()
        let asked = try await Things(harness).addresses().map { path in
            path.split(separator: "/").map { $0.allSatisfy(\.isNumber) ? "{}" : $0 }.joined(separator: "/")
        }
        for route in SharedRoute.all where route.method == .get {
            let shape = route.path.split(separator: "/").dropFirst().map { $0.hasPrefix("{") ? "{}" : $0 }
            #expect(asked.contains(shape.joined(separator: "/")), "\(route.path)")
        }
        #expect(SharedRoute.all.filter { $0.method == .post }.map(\.path) == ["/{token}/open", "/{token}/files"])
        try await harness.stop()
    }

    @Test func aLinkShowsItsThingsAndNothingElse() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        for (items, opens) in Self.opened(things) {
            var visitor = try await Visitor(items, in: harness)
            for path in things.addresses() {
                let closed = try await visitor.get(path)
                #expect(path.isEmpty ? closed.status == 200 : closed["location"] == visitor.path, "\(items) \(path)")
            }
            #expect(try await visitor.open().status == 303)
            for path in things.addresses() {
                let answer = try await visitor.get(path)
                let isOpen = path.isEmpty || opens.contains(where: path.hasPrefix)
                #expect(answer.status == (isOpen ? 200 : 404), "\(items) \(path): \(answer.status)")
                #expect(answer["cache-control"] == "private, no-store" && answer["referrer-policy"] == "no-referrer")
                #expect(answer["x-robots-tag"] == "noindex, nofollow, noarchive", "\(path)")
            }
            let head = try await visitor.get("", method: "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
        }
        try await harness.stop()
    }

    /// The cookie of a link is none of any other interface, and none of another link.
    @Test func theCookieOpensOneLinkAlone() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        var visitor = try await Visitor([.folder(things.folder.id)], in: harness)
        try await visitor.open()
        let cookie = try #require(visitor.cookie)
        let filled = try await TestItems(harness)
        for row in PageMatrixTests.rows where row.method == "GET" {
            let answer = try await harness.send(
                "GET", filled.fill(row.path + row.query), fields: ["Cookie": cookie])
            #expect(answer.status == row.stranger, "\(row.testDescription)")
        }
        for row in AccessMatrixTests.rows {
            let value = cookie.split(separator: "=", maxSplits: 1).last.map(String.init)
            let answer = try await row.send(filled, value, harness)
            #expect(answer.status == row.stranger, "\(row.testDescription)")
        }
        var other = try await Visitor([.file(things.files[1].id)], in: harness)
        other.cookie = cookie
        #expect(try await other.get("/files/\(things.files[1].id)").status == 303)
        #expect(try await other.get("").text.contains("action=\"\(other.path)/open\""))
        // Nor that of another token, of which the link is the same.
        other.cookie = cookie.replacing(visitor.token, with: other.token)
        #expect(try await other.get("/zip").status == 303)
        try await harness.stop()
    }

    /// Links that cannot be opened look alike, whatever they were.
    @Test func whatIsGoneLooksTheSame() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        let (store, ann, file) = (harness.store, harness.people.ann, things.files[0].id)
        let expired = try await Visitor([.file(file)], at: .now - .seconds(10 * 86_400), in: harness)
        let revoked = try await Visitor([.file(file)], in: harness)
        try await store.links.revokeLink(revoked.link.id, of: ann.id, actor: ann.email)
        var usedUp = try await Visitor([.file(file)], in: harness) { $0.maxOpenings = 1 }
        #expect(try await usedUp.open().status == 303)
        let known = usedUp.cookie
        usedUp.cookie = nil
        let gone = try await Visitor([.file(things.files[1].id)], in: harness)
        try await store.library.delete(.file(things.files[1].id), if: nil, of: ann.id)
        let infected = try await Visitor([.file(things.files[2].id)], in: harness)
        try await store.quarantine.quarantine(things.files[2].digest, malware: "Test.Malware", at: .now)
        let wrong = try await harness.send("GET", "/s/" + String(repeating: "A", count: 43))
        #expect(wrong.status == 404)
        for visitor in [expired, revoked, usedUp, gone, infected] {
            for answer in [try await visitor.get(""), try await harness.send("GET", visitor.path + "x")] {
                #expect(answer.status == 404 && Self.telling(answer) == Self.telling(wrong))
            }
            var again = visitor
            #expect(try await again.open().status == 404)
        }
        // Who had opened it before goes on.
        usedUp.cookie = known
        #expect(try await usedUp.get("/files/\(file)/content").status == 200)
        #expect(try await usedUp.now.openings == 1)
        // A fund that is archived, and an owner who is disabled.
        try await store.library.archiveFund(harness.people.fund.id, if: nil, of: ann.id)
        #expect(try await usedUp.get("/files/\(file)/content").status == 404)
        _ = try await store.library.restore(.fund(harness.people.fund.id), unlessDeletedAfter: nil, of: ann.id)
        #expect(try await usedUp.get("").status == 200)
        try await store.administration.setDisabled(true, user: ann.id, actor: "test")
        #expect(try await usedUp.get("").status == 404)
        try await store.administration.setDisabled(false, user: ann.id, actor: "test")
        #expect(try await usedUp.get("").status == 404)
        try await harness.stop()
    }

    /// All of a response but its token, the time and the number of the request.
    private static func telling(_ response: RawHTTPResponse) -> String {
        let text = response.text.replacing(#/\/s\/[A-Za-z0-9_\-]*/#, with: "")
        return response.fields.filter { !["date", "content-length"].contains($0.name) }.map { "\($0)" }.joined() + text
    }

    /// A program that looks at the links of a mail uses nothing up, and learns nothing.
    @Test func readingChangesNothing() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        let visitor = try await Visitor([.file(things.files[0].id)], in: harness) { $0.maxOpenings = 1 }
        for method in ["GET", "HEAD", "OPTIONS", "PUT"] { _ = try await visitor.get("", method: method) }
        let door = try await visitor.get("")
        #expect(door.status == 200 && door["set-cookie"] == nil)
        #expect(!door.text.contains(things.files[0].name) && !door.text.contains("og:"))
        #expect(!door.text.contains("ann@example.com") && !door.text.contains("Fund1"))
        #expect(try await visitor.get("/open").status == 405)
        #expect(try await visitor.now.openings == 0)
        #expect(
            try await harness.store.links.uses(of: visitor.link.id, of: visitor.link.owner, PageQuery()).items == [])
        try await harness.stop()
    }

    /// Bytes as of any download: conditions, ranges, the name.
    @Test func bytesComeAsOfFiles() async throws {
        let harness = try await ServerHarness()
        let file = try #require(try await Things(harness).files.first { $0.name == "report.pdf" })
        var visitor = try await Visitor([.file(file.id)], in: harness)
        try await visitor.open()
        let path = "/files/\(file.id)/content"
        let whole = try await visitor.get(path)
        #expect(whole.text == "0123456789" && whole["content-disposition"] == "attachment; filename=\"report.pdf\"")
        let part = try await visitor.get(path, fields: ["Range": "bytes=2-4"])
        #expect(part.status == 206 && part.text == "234")
        #expect(try await visitor.get(path, fields: ["Range": "bytes=20-"]).status == 416)
        let tag = try #require(whole["etag"])
        #expect(try await visitor.get(path, fields: ["If-None-Match": tag]).status == 304)
        let head = try await visitor.get(path, method: "HEAD")
        #expect(head.status == 200 && head["content-length"] == "10")
        // A link for reading gives no bytes.
        var reading = try await Visitor([.file(file.id)], .read, in: harness)
        try await reading.open()
        #expect(try await reading.get(path).status == 404)
        #expect(try await reading.get("/zip").status == 404)
        #expect(try await !reading.get("").text.contains("/content"))
        try await harness.stop()
    }

    /// A zip file of a link has the name of nothing else, and says nothing of what is kept from people.
    @Test func zipFilesNameTheirThingsAlone() async throws {
        let harness = try await ServerHarness()
        let things = try await Things(harness)
        let items = [things.files[0], things.files[1]]
        var visitor = try await Visitor(items.map { .file($0.id) }, in: harness)
        try await visitor.open()
        try await harness.store.quarantine.quarantine(items[1].digest, malware: "Test.Malware", at: .now)
        let zip = try await visitor.get("/zip")
        #expect(zip["content-disposition"] == "attachment; filename=\"Shared files.zip\"")
        let names = items.map { zip.body.contains(Array($0.name.utf8)) }
        #expect(names == [true, false])
        #expect(try await !visitor.get("").text.contains(items[1].name))
        try await harness.stop()
    }

    @Test func aPasswordIsAskedForAndThrottled() async throws {
        let harness = try await ServerHarness()
        let file = try await Things(harness).files[0].id
        let hash = try PasswordHash(of: Password("open sesame now"), parameters: TestPeople.weakScrypt).text
        var visitor = try await Visitor([.file(file)], in: harness) { $0.passwordHash = hash }
        #expect(try await visitor.get("").text.contains("name=\"password\""))
        for password in ["", "wrong", "open+sesame+no", "%0D%0Ax"] {
            #expect(try await visitor.open("password=\(password)").status == 422, "\(password)")
        }
        #expect(try await visitor.open("password=x").status == 422)
        let refused = try await visitor.open("password=open+sesame+now")
        #expect(refused.status == 429 && refused["retry-after"] != nil)
        #expect(try await visitor.now.openings == 0)
        var other = try await Visitor([.file(file)], in: harness) { $0.passwordHash = hash }
        #expect(try await other.open("password=open+sesame+now").status == 303)
        #expect(try await other.get("").status == 200)
        try await harness.stop()
    }

    /// Names that are typed hold anything, and are shown as they are.
    @Test func typedNamesDoNoHarm() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        var visitor = try await Visitor([.folder(things.folder.id)], .upload, in: harness)
        for typed in ["", "+", "%0D%0A", "%E2%80%8B"] {
            #expect(try await visitor.open("name=\(typed)").status == 422, "\(typed)")
        }
        #expect(try await visitor.open("name=Eve%0D%0ASet-Cookie:x=1+%3Cb%3E").status == 303)
        #expect(try await visitor.get("").text.contains("Eve  Set-Cookie:x=1 &lt;b&gt;"))
        var marked = try await Visitor([.file(things.files[0].id)], .read, in: harness) { $0.isWatermarked = true }
        // Blank letters would leave pictures without a mark.
        let blanks = String(repeating: "%E2%A0%80", count: 80) + "%40a.b"
        for typed in ["", "eve", "eve@", "eve%40x.example%0D%0Ab", "%3Ceve%40x.example%3E", "a%40b%40c", blanks] {
            #expect(try await marked.open("name=\(typed)").status == 422, "\(typed)")
        }
        try await harness.stop()
    }

    /// A marked link gives pictures with the address in them, and nothing of the file itself.
    @Test func aMarkedLinkGivesMarkedPicturesAlone() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let things = try await Things(harness)
        let file = try #require(things.files.first { $0.name == "report.pdf" })
        var visitor = try await Visitor([.file(file.id), .folder(things.folder.id)], .read, in: harness) {
            $0.isWatermarked = true
        }
        #expect(try await visitor.open("name=Eve%40Outside.example").status == 303)
        let picture = try await visitor.get("/files/\(file.id)/preview?size=1600&page=1")
        #expect(picture.status == 200 && picture.text.contains("eve@outside.example\n"))
        #expect(picture.text.hasSuffix(" 127.0.0.1"))
        #expect(picture["etag"] == nil)
        let page = try await visitor.get("/files/\(file.id)")
        #expect(page.text.contains("/preview?size=1600") && !page.text.contains("/content"))
        #expect(!page.text.contains(file.digest.hex.prefix(8)))
        for path in ["/files/\(file.id)/content", "/zip", "/folders/\(things.folder.id)/zip"] {
            #expect(try await visitor.get(path).status == 404, "\(path)")
        }
        #expect(try await !visitor.get("").text.contains("<img"))
        let uses = try await harness.store.links.uses(of: visitor.link.id, of: visitor.link.owner, PageQuery()).items
        #expect(uses.first?.visitor.name == "eve@outside.example")
        try await harness.stop()
    }

    /// A network that tries many addresses is not answered for a while, but for links that it has opened.
    @Test func guessesAreSlowedDown() async throws {
        let harness = try await ServerHarness()
        let file = try await Things(harness).files[0].id
        var visitor = try await Visitor([.file(file)], in: harness)
        try await visitor.open()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<LinkGuesses.maxMisses {
                group.addTask {
                    let token = String(repeating: "B", count: 40) + "\(100 + number)"
                    _ = try? await harness.send("GET", "/s/\(token)")
                }
            }
        }
        let refused = try await harness.send("GET", "/s/" + String(repeating: "C", count: 43))
        #expect(refused.status == 429 && refused["retry-after"] == "60")
        #expect(try await visitor.get("").status == 200)
        try await harness.stop()
    }

    /// A download that runs is cut off when its link is ended, whether or not its client reads.
    @Test(arguments: [true, false])
    func revokingCutsDownloadsOff(isReading: Bool) async throws {
        let harness = try await ServerHarness()
        let (store, ann) = (harness.store, harness.people.ann)
        let place = LibraryPlace(fund: harness.people.fund.id)
        let bytes = [UInt8](repeating: 7, count: 64 << 20)
        let writer = try store.library.makeUpload(named: "big", announcing: Int64(bytes.count))
        try bytes.withUnsafeBytes { try writer.append($0) }
        let file = try await store.library.addFile(
            try writer.finish(contentType: "application/octet-stream"),
            at: FileTarget("big", in: place, ifTaken: .refuse), of: ann.id)
        var visitor = try await Visitor([.file(file.id)], in: harness)
        try await visitor.open()
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(
            "GET \(visitor.path)/files/\(file.id)/content HTTP/1.1\r\nHost: 127.0.0.1:\(harness.port)\r\n"
                + "Cookie: \(visitor.cookie ?? "")\r\n\r\n")
        #expect(await connection.hasInput(within: .seconds(30)))
        if isReading { _ = await connection.text(until: "\r\n\r\n") }
        let start = ContinuousClock.now
        try await store.links.revokeLink(visitor.link.id, of: ann.id, actor: ann.email)
        // On one machine a client that goes on reading has the whole file before the cut, which may take a second.
        try await eventually { harness.metrics.connections.requestsInFlight == 0 }
        let rest = await connection.everything(within: .seconds(30))
        #expect(rest.count < bytes.count)
        #expect(ContinuousClock.now - start < .seconds(10))
        try await harness.stop()
    }
}
