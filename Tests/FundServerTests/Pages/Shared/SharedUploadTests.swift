import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Files that people outside put by an upload link.
struct SharedUploadTests {
    private struct Folder {
        let harness: ServerHarness
        let folder: FolderEntry

        init() async throws {
            harness = try await ServerHarness()
            let (ann, fund) = (harness.people.ann.id, harness.people.fund.id)
            folder = try await harness.store.library.addFolder("In", in: LibraryPlace(fund: fund), of: ann)
        }

        var place: LibraryPlace { LibraryPlace(fund: folder.fund, folder: folder.id) }

        func names() async throws -> [String] {
            try await harness.store.library.children(of: place, of: harness.people.ann.id).map { item in
                if case .file(let file) = item { file.name } else { "?" }
            }
        }

        func visitor(_ maxFiles: Int = 100, _ maxBytes: Int64 = 1_000_000) async throws -> Visitor {
            var visitor = try await Visitor([.folder(folder.id)], .upload, in: harness) {
                $0.allowance = UploadAllowance(maxFiles: maxFiles, maxBytes: maxBytes)
            }
            #expect(try await visitor.open("name=Eve").status == 303)
            return visitor
        }
    }

    @Test func filesAreStoredUnderSafeNames() async throws {
        let folder = try await Folder()
        let visitor = try await folder.visitor()
        let names = [
            "a.txt", "a.txt", "../../etc/passwd", "..\\..\\boot.ini", "/", "..", "x\u{202E}fdp.exe", "%2e%2e%2fb",
            "\r\nc",
            String(repeating: "n", count: 300),
        ]
        let answer = try await visitor.put(names.map { ($0.replacing("\r\n", with: "%0D%0A"), "text of \($0)") })
        #expect(answer.status == 200)
        let kept = try await folder.names()
        #expect(Set(kept) == ["a.txt", "a(1).txt", "passwd", "boot.ini", "%2e%2e%2fb", " c"], "\(kept)")
        // The page tells the names that were sent: a number would tell that another file has the name.
        #expect(answer.text.contains("<bdi>passwd</bdi>") && !answer.text.contains("a(1).txt"))
        #expect(answer.text.matches(of: /<bdi>a\.txt<\/bdi>/).count == 2)
        let link = try await visitor.now
        #expect(link.received.files == kept.count)
        let uses = try await folder.harness.store.links.uses(of: link.id, of: link.owner, PageQuery()).items
        #expect(Set(uses.compactMap(\.file?.name)) == Set(kept) && uses.allSatisfy { $0.visitor.name == "Eve" })
        let audit = try await folder.harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items
        #expect(audit.first?.action == "link.upload")
        try await folder.harness.stop()
    }

    /// Nothing of the folder is shown: neither what lies there, nor what others put.
    @Test func theFolderStaysUnseen() async throws {
        let folder = try await Folder()
        let visitor = try await folder.visitor()
        #expect(try await visitor.put([("secret.txt", "x")]).status == 200)
        for path in [
            "", "/folders/\(folder.folder.id)", "/zip", "/folders/\(folder.folder.id)/zip", "/files/1",
            "/files/1/content",
        ] {
            let answer = try await visitor.get(path)
            #expect(answer.status == (path.isEmpty ? 200 : 404))
            #expect(!answer.text.contains("secret.txt") && !answer.text.contains(">In<"))
        }
        // Nor are files taken by a link that shows things.
        var reading = try await Visitor([.folder(folder.folder.id)], in: folder.harness)
        try await reading.open()
        #expect(try await reading.put([("b.txt", "x")]).status == 404)
        try await folder.harness.stop()
    }

    @Test func numberAndSizeAreLimited() async throws {
        let folder = try await Folder()
        let few = try await folder.visitor(2)
        let answer = try await few.put([("a", "1"), ("b", "2"), ("c", "3")])
        #expect(answer.status == 400 && answer.text.contains("No more files come by this link."))
        #expect(try await folder.names() == ["a", "b"])
        // Used up: those who opened it see that, others nothing.
        #expect(try await few.get("").text.contains("No more files come by this link."))
        var another = few
        another.cookie = nil
        #expect(try await another.get("").status == 404)
        let small = try await folder.visitor(10, 100)
        #expect(try await small.put([("d", String(repeating: "d", count: 60))]).status == 200)
        let large = try await small.put([("e", String(repeating: "e", count: 60))])
        #expect(large.status == 400 && large.text.contains("No more files come by this link."))
        #expect(try await folder.names() == ["a", "b", "d"])
        #expect(try await small.now.received == UploadAllowance.Use(files: 1, bytes: 60))
        try await folder.harness.stop()
    }

    /// An upload by another person leaves no trace on the page, whatever it is called.
    @Test func namesOfTheFolderStayUnseen() async throws {
        let folder = try await Folder()
        let (one, other) = (try await folder.visitor(), try await folder.visitor())
        var answers: [String] = []
        for (visitor, name) in [(one, "offer.pdf"), (other, "offer.pdf"), (other, "OFFER.pdf"), (other, "new.pdf")] {
            let answer = try await visitor.put([(name, "x")])
            #expect(answer.status == 200 && answer.text.contains("<bdi>\(name)</bdi>"))
            answers.append(answer.text.replacing(name, with: "NAME").replacing(visitor.token, with: "TOKEN"))
        }
        #expect(try await folder.names().count == 4)
        #expect(!answers.contains { $0.contains("(1)") || $0.contains("(2)") })
        try await folder.harness.stop()
    }

    /// Uploads at the same time have the allowance of the link together, and no more.
    @Test func uploadsReserveWhatTheyBring() async throws {
        let folder = try await Folder()
        let visitor = try await folder.visitor(10, 1_000_000)
        let cookie = try #require(visitor.cookie)
        let (port, path, link) = (folder.harness.port, visitor.path, visitor.link.id)
        let reservations = try #require(folder.harness.shareLinks).reservations
        func begin(_ length: String) async throws -> RawHTTPConnection {
            let connection = try RawHTTPConnection(port: port)
            let head = [
                "POST \(path)/files HTTP/1.1", "Host: 127.0.0.1:\(port)", "Cookie: \(cookie)", length,
                "Content-Type: multipart/form-data; boundary=b", "Sec-Fetch-Site: same-origin", "", "",
            ]
            await connection.send(head.joined(separator: "\r\n"))
            return connection
        }
        // One that declares most of it, and one that does not say how much it brings.
        let first = try await begin("Content-Length: 900000")
        try await eventually { reservations.reserved(of: link) == [900_000] }
        let second = try await begin("Transfer-Encoding: chunked")
        try await eventually { reservations.reserved(of: link) == [900_000, 100_000] }
        // Nothing is left for a third, and it is not read.
        let third = try await begin("Content-Length: 5000")
        let refused = try #require(await third.response())
        #expect(refused.status == 400 && refused.text.contains("Other files are coming by this link just now."))
        // Larger than the link takes at all.
        let fourth = try await begin("Content-Length: 2000000")
        let tooLarge = try #require(await fourth.response())
        #expect(tooLarge.status == 400 && tooLarge.text.contains("larger than what this link takes still"))
        for connection in [first, second] { connection.finishSending() }
        try await eventually { reservations.reserved(of: link).isEmpty }
        #expect(try await visitor.put([("a", "1")]).status == 200)
        #expect(try await folder.names() == ["a"])
        try await folder.harness.stop()
    }

    /// Files for which the owner has no room are refused, before their bytes come where a form announces its length.
    /// Visitors do not learn why.
    @Test func whatTheOwnerHasNoRoomForIsRefused() async throws {
        let folder = try await Folder()
        let visitor = try await folder.visitor(10, 10_000_000)
        folder.harness.store.limitStorage(StorageLimits(person: 0))
        let (port, cookie) = (folder.harness.port, try #require(visitor.cookie))
        let head = [
            "POST \(visitor.path)/files HTTP/1.1", "Host: 127.0.0.1:\(port)", "Cookie: \(cookie)",
            "Content-Length: 2000000", "Content-Type: multipart/form-data; boundary=b", "Sec-Fetch-Site: same-origin",
            "", "",
        ]
        let announced = try #require(try await folder.harness.raw(head.joined(separator: "\r\n")))
        for answer in [announced, try await visitor.put([("a", "1")])] {
            #expect(answer.status == 400 && answer.text.contains("No more files come by this link."))
        }
        #expect(try await folder.names() == [])
        try await folder.harness.stop()
    }

    @Test func aFormThatIsNoneStoresNothing() async throws {
        let folder = try await Folder()
        let visitor = try await folder.visitor()
        let empty = try await visitor.put([])
        #expect(empty.status == 400 && empty.text.contains("No file arrived."))
        let cookie = try #require(visitor.cookie)
        let attacks: [(fields: [String: String], status: Int)] = [
            (["Content-Type": "text/plain", "Sec-Fetch-Site": "same-origin"], 415),
            (["Content-Type": "multipart/form-data; boundary=b", "Sec-Fetch-Site": "cross-site"], 403),
            (["Content-Type": "multipart/form-data; boundary=b", "Origin": "https://evil.example"], 403),
        ]
        for (fields, status) in attacks {
            let body = Array(
                "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"z\"\r\n\r\nz\r\n--b--".utf8)
            let answer = try await folder.harness.send(
                "POST", visitor.path + "/files", fields: fields.merging(["Cookie": cookie]) { $1 }, body: body)
            #expect(answer.status == status)
        }
        #expect(try await folder.names() == [])
        try await folder.harness.stop()
    }
}
