import Foundation
import FundStore
import FundCore
import Testing
import TestSupport

@testable import FundServer

struct DAVPropertyTests {
    private static func update(_ steps: String) -> String {
        "<D:propertyupdate xmlns:D=\"DAV:\" xmlns:z=\"urn:z\" xml:lang=\"de\">\(steps)</D:propertyupdate>"
    }

    private static func set(_ property: String) -> String { update("<D:set><D:prop>\(property)</D:prop></D:set>") }

    @Test func keepsDeadPropertiesExactly() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        let property = "<z:p a=\"1\" z:b=\"&lt;&#10;\"><q xmlns=\"urn:q\">Grüße &amp; <z:r/>\u{1F600}</q> tail</z:p>"
        #expect(try await harness.status("PROPPATCH", "Fund1/a", [:], Self.set(property)) == 207)
        for path in ["Fund1/a", "Fund1/b", "Fund1/c"] {
            if path == "Fund1/b" { #expect(try await harness.transfer("COPY", "Fund1/a", to: path) == 201) }
            if path == "Fund1/c" { #expect(try await harness.transfer("MOVE", "Fund1/b", to: path) == 201) }
            for (target, depth) in [(path, "0"), ("Fund1/", "1")] {
                let response = try await harness.send("PROPFIND", target, ["Depth": depth])
                let root = try MarkupReader.read(response.body)
                let entry = root.elements.last { $0.first(.dav("href"))?.text == "/dav/\(path)" }
                let prop = try #require(entry?.first(.dav("propstat"))?.first(.dav("prop")))
                let kept = try #require(prop.first(MarkupName(namespace: "urn:z", local: "p")))
                #expect(kept.language == "de")
                #expect(kept.prefix == "z")
                #expect(kept.attributes.filter { $0.name != .language }.map(\.value) == ["1", "<\n"])
                #expect(kept.elements.first?.text == "Grüße & \u{1F600}")
                #expect(kept.elements.first?.elements.map(\.name) == [MarkupName(namespace: "urn:z", local: "r")])
                #expect(kept.text == " tail")
            }
        }
        let remove = Self.update("<D:remove><D:prop><z:p/><z:none/></D:prop></D:remove>")
        #expect(try await harness.send("PROPPATCH", "Fund1/a", [:], remove).text.contains("200 OK"))
        #expect(try await !harness.send("PROPFIND", "Fund1/a", ["Depth": "0"]).text.contains("urn:z"))
        try await harness.server.stop()
    }

    @Test func changesAllOrNothing() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        let response = try await harness.send(
            "PROPPATCH", "Fund1/a", [:], Self.set("<z:p>1</z:p><D:getetag>x</D:getetag>"))
        #expect(response.status == 207)
        #expect(response.text.contains("424 Failed Dependency"))
        #expect(response.text.contains("403 Forbidden"))
        #expect(response.text.contains("cannot-modify-protected-property"))
        for (name, status) in [("p", 404), ("etag", 404)] {
            let asked = "<D:propfind xmlns:D=\"DAV:\"><D:prop><\(name) xmlns=\"urn:z\"/></D:prop></D:propfind>"
            #expect(
                try await harness.send("PROPFIND", "Fund1/a", ["Depth": "0"], asked).text.contains(
                    "\(status) Not Found"))
        }
        #expect(try await harness.send("PROPPATCH", "", [:], Self.set("<z:p/>")).text.contains("403 Forbidden"))
        try await harness.server.stop()
    }

    @Test func boundsDeadProperties() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        var statuses: [Bool] = []
        for index in 0..<6 {
            let value = String(repeating: "x", count: 15_000)
            let response = try await harness.send(
                "PROPPATCH", "Fund1/a", [:], Self.set("<z:p\(index)>\(value)</z:p\(index)>"))
            statuses.append(response.text.contains("507 Insufficient Storage"))
        }
        #expect(statuses == [false, false, false, false, true, true])
        #expect(
            try await harness.status("PROPPATCH", "Fund1/a", [:], Self.set(String(repeating: " ", count: 65_536)))
                == 413)
        try await harness.server.stop()
    }

    /// A few kilobytes must not ask for gigabytes.
    @Test func boundsWhatIsSaidOfEachMember() async throws {
        let harness = try await DAVHarness()
        func ask(_ names: Int, _ namespace: Int) -> String {
            let prefix = "<propfind xmlns='DAV:' xmlns:x='\(String(repeating: "n", count: namespace))'><prop>"
            return prefix + (0..<names).map { "<x:p\($0)/>" }.joined() + "</prop></propfind>"
        }
        for (names, namespace, status) in [(1, 8000, 207), (256, 30, 207), (257, 1, 400), (3, 8000, 400)] {
            let body = ask(names, namespace)
            #expect(try await harness.status("PROPFIND", "Fund1/", ["Depth": "1"], body) == status, "\(names)")
        }
        let declared = (0..<100).map { "xmlns:n\($0)='\(String(repeating: "n", count: 300))'" }.joined(separator: " ")
        let many = (0..<1000).map { "<z:p\($0)/>" }.joined()
        let patch =
            "<D:propertyupdate xmlns:D='DAV:' xmlns:z='z' \(declared)><D:set><D:prop>\(many)</D:prop></D:set>"
            + "</D:propertyupdate>"
        #expect(try await harness.send("PROPPATCH", "Fund1/", [:], patch).text.contains("507 Insufficient Storage"))
        try await harness.server.stop()
    }

    private static func sharedLock(owner bytes: Int) -> String {
        """
        <D:lockinfo xmlns:D="DAV:"><D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype>
        <D:owner>\(String(repeating: "o", count: bytes))</D:owner></D:lockinfo>
        """
    }

    /// Deep shared locks are said again for every member.
    @Test func boundsWhatIsSaidOfLocks() async throws {
        let harness = try await DAVHarness()
        #expect(try await harness.status("LOCK", "Fund1/", [:], Self.sharedLock(owner: 1100)) == 413)
        let lock = Self.sharedLock(owner: 900)
        let count = LockTable.maxLocksOnResource
        // Folders above and below count, too.
        #expect(try await harness.status("MKCOL", "Fund1/box/") == 201)
        #expect(try await harness.status("PUT", "Fund1/box/a") == 201)
        #expect(try await harness.status("LOCK", "Fund1/box/", ["Depth": "0"], lock) == 200)
        for _ in 1..<count { #expect(try await harness.status("LOCK", "Fund1/", [:], lock) == 200) }
        for path in ["Fund1/", "Fund1/box/"] { #expect(try await harness.status("LOCK", path, [:], lock) == 507) }
        #expect(try await harness.status("LOCK", "Fund1/box/a", [:], lock) == 200)
        #expect(try await harness.status("LOCK", "Fund1/box/a", [:], lock) == 507)
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        try StoreSnapshot.execute(
            """
            INSERT INTO folder (fund_id, name, name_key, created_at)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 1499)
            SELECT \(fund.id), 'f' || n, 'f' || n, 0 FROM number
            """, in: harness.server.folder + "/store")
        let asked = "<D:propfind xmlns:D='DAV:'><D:prop><D:displayname/><D:lockdiscovery/></D:prop></D:propfind>"
        let listing = try await harness.send("PROPFIND", "Fund1/", ["Depth": "1", "Connection": "close"], asked)
        #expect(listing["transfer-encoding"] == "chunked")
        #expect((16_000_000...20_000_000).contains(listing.body.count))
        let text = listing.text
        #expect(text.components(separatedBy: "<D:displayname>").count == 1503)
        #expect(text.components(separatedBy: "507 Insufficient Storage").count > 100)
        #expect(text.contains("</D:multistatus>"))
        try await harness.server.stop()
    }

    /// Names that strict readers of XML refuse (expat follows the fourth edition of XML 1.0) would spoil a whole
    /// listing.
    @Test func keepsNoNamesThatSomeReadersRefuse() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        for name in ["a\u{200D}", "\u{200D}a", "a\u{1F1E6}", "\u{10400}", "\u{212A}", "a\u{2040}"] {
            #expect(try await harness.status("PROPPATCH", "Fund1/a", [:], Self.set("<z:\(name)/>")) == 400, "\(name)")
            #expect(try await harness.status("PROPPATCH", "Fund1/a", [:], Self.set("<z:p><\(name)/></z:p>")) == 400)
        }
        for name in ["größe", "状态", "상태", "дата"] {
            let text = try await harness.send("PROPPATCH", "Fund1/a", [:], Self.set("<z:\(name)>\u{200D}</z:\(name)>"))
                .text
            #expect(text.contains("200 OK"), "\(name)")
        }
        // Properties that an older release took.
        let file = try #require(try await harness.store.library.item(at: ["Fund1", "a"], of: harness.ann.id)).itemID
        try await harness.store.library.setProperties(
            [
                "{urn:z}\u{200D}old": "<z:\u{200D}old xmlns:z=\"urn:z\"/>",
                "{urn:z}in": "<in xmlns=\"urn:z\"><b\u{200D}/></in>",
            ],
            of: file, of: harness.ann.id)
        let names = "<propfind xmlns='DAV:'><propname/></propfind>"
        for (path, depth, body) in [("a", "0", ""), ("", "1", ""), ("a", "0", names)] {
            let text = try await harness.send("PROPFIND", "Fund1/\(path)", ["Depth": depth], body).text
            #expect(text.contains("größe"))
            #expect(!text.contains("old") && !text.contains("<b"))
            #expect(throws: Never.self) { try MarkupReader.read(Array(text.utf8)) }
        }
        try await harness.server.stop()
    }

    /// Properties that are kept with the members are fetched as the answer goes out.
    @Test func listsPropertiesOfManyMembers() async throws {
        let harness = try await DAVHarness()
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        try StoreSnapshot.execute(
            """
            INSERT INTO folder (fund_id, name, name_key, created_at)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 299)
            SELECT \(fund.id), 'f' || n, 'f' || n, 0 FROM number;
            INSERT INTO property SELECT \(ItemKind.folder.rawValue), id, '{urn:z}p', '<p xmlns="urn:z">' || name || ':'
                || printf('%.*c', 20000, 'x') || '</p>' FROM folder WHERE id % 2 = 0;
            """, in: harness.server.folder + "/store")
        let all = try await harness.send("PROPFIND", "Fund1/", ["Depth": "1", "Connection": "close"])
        #expect(all["transfer-encoding"] == "chunked")
        let members = all.text.components(separatedBy: "<D:response><D:href>").dropFirst(2)
        #expect(members.count == 300)
        let having = members.filter { member in
            let name = member.prefix { $0 != "<" }.split(separator: "/").last ?? ""
            return member.contains("<p xmlns=\"urn:z\">\(name):xxx")
        }
        #expect(having.count == 150)
        #expect(members.filter { $0.contains("urn:z") }.count == 150)
        try await harness.server.stop()
    }

    /// RFC 4331 §6: above a limit nothing is added, and what is there stays as it is.
    @Test func refusesWhatHasNoRoom() async throws {
        let harness = try await DAVHarness()
        let administration = harness.store.administration
        #expect(try await harness.status("PUT", "Fund1/a", [:], "12345") == 201)
        _ = try await administration.changeUser(harness.ann.id, UserChange(quota: .bytes(8)), actor: "test")
        let refused = try await harness.send("PUT", "Fund1/b", [:], "1234")
        #expect(refused.status == 507 && refused.text.contains("<D:quota-not-exceeded/>"))
        #expect(try await harness.transfer("COPY", "Fund1/a", to: "Fund1/b") == 507)
        #expect(try await harness.status("GET", "Fund1/b") == 404)
        #expect(try await harness.status("MKCOL", "Fund1/c") == 201)
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/c/a") == 201)
        #expect(try await harness.status("PUT", "Fund1/b", [:], "123") == 201)
        let asked =
            "<propfind xmlns='DAV:'><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>"
        let root = try await harness.send("PROPFIND", "", ["Depth": "0"], asked).text
        #expect(root.contains("<D:quota-used-bytes>8<") && root.contains("<D:quota-available-bytes>0<"))
        try await harness.server.stop()
    }

    /// RFC 4331: of collections, and only where it is asked for.
    @Test func tellsTheRoom() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "12345")
        let asked =
            "<propfind xmlns='DAV:'><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>"
        for path in ["", "Fund1/"] {
            let root = try MarkupReader.read(try await harness.send("PROPFIND", path, ["Depth": "0"], asked).body)
            let prop = root.elements.first?.first(.dav("propstat"))?.first(.dav("prop"))
            #expect(prop?.first(.dav("quota-used-bytes"))?.text == "5")
            #expect(Int64(prop?.first(.dav("quota-available-bytes"))?.text ?? "") ?? 0 > 0)
        }
        #expect(try await harness.send("PROPFIND", "Fund1/a", ["Depth": "0"], asked).text.contains("404 Not Found"))
        #expect(try await !harness.send("PROPFIND", "Fund1/", ["Depth": "1"]).text.contains("quota"))
        let named = "<propfind xmlns='DAV:'><allprop/><include><quota-used-bytes/></include></propfind>"
        #expect(try await harness.send("PROPFIND", "", ["Depth": "0"], named).text.contains("<D:quota-used-bytes>5<"))
        let patch = Self.set("<D:quota-used-bytes>0</D:quota-used-bytes>")
        #expect(try await harness.send("PROPPATCH", "Fund1/", [:], patch).text.contains("403 Forbidden"))
        try await harness.server.stop()
    }

    /// Explorer sets them so after an upload.
    @Test func takesTheTimesOfWindows() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        _ = try await harness.send("MKCOL", "Fund1/box/")
        let (date, other) = ("Sun, 09 Sep 2001 01:46:40 GMT", "Thu, 10 Jan 2008 21:20:00 GMT")
        func times(_ modified: String) -> String {
            Self.set(
                ["CreationTime", "LastAccessTime"].map {
                    "<Z:Win32\($0) xmlns:Z='\(Self.windows)'>\(other)</Z:Win32\($0)>"
                }
                .joined()
                    + "<Z:Win32LastModifiedTime xmlns:Z='\(Self.windows)'>\(modified)</Z:Win32LastModifiedTime>"
                    + "<Z:Win32FileAttributes xmlns:Z='\(Self.windows)'>00000020</Z:Win32FileAttributes>")
        }
        for path in ["Fund1/a", "Fund1/box/"] {
            let text = try await harness.send("PROPPATCH", path, [:], times(date)).text
            #expect(text.contains("200 OK") && !text.contains("403"), "\(path)")
        }
        #expect(try await harness.send("HEAD", "Fund1/a")["last-modified"] == date)
        let asked =
            "<propfind xmlns='DAV:' xmlns:w='\(Self.windows)'><prop><w:Win32LastModifiedTime/></prop></propfind>"
        let all = try await harness.send("PROPFIND", "Fund1/a", ["Depth": "0"]).text
        #expect(all.contains("00000020") && all.contains(other) && !all.contains("Win32LastModifiedTime"))
        // It follows the file, and what is not all taken is not taken at all.
        _ = try await harness.send("PUT", "Fund1/a", ["X-OC-Mtime": "1200000000"], "y")
        for depth in ["0", "1"] {
            let path = depth == "0" ? "Fund1/a" : "Fund1/"
            #expect(try await harness.send("PROPFIND", path, ["Depth": depth], asked).text.contains(">\(other)<"))
        }
        let refused = try await harness.send(
            "PROPPATCH", "Fund1/a", [:], times("yesterday").replacing("20<", with: "21<")
        ).text
        #expect(refused.contains("409 Conflict") && !refused.contains("200 OK"))
        #expect(try await harness.send("PROPFIND", "Fund1/a", ["Depth": "0"]).text.contains("00000020"))
        try await harness.server.stop()
    }

    private static let windows = "urn:schemas-microsoft-com:"

    /// rclone asks for them and sets them so with `vendor = owncloud`.
    @Test func tellsChecksumsAndTakesTimes() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "abc")
        _ = try await harness.send("PUT", "Fund1/damaged", [:], "xyz")
        try harness.store.record(of: .of("xyz".utf8)).damage()
        let asked =
            "<D:propfind xmlns:D='DAV:'><D:prop><D:getlastmodified/><c:checksums xmlns:c='http://owncloud.org/ns'/>"
            + "</D:prop></D:propfind>"
        let sums = "SHA1:a9993e364706816aba3e25717850c26c9cd0d89d MD5:900150983cd24fb0d6963f7d28e17f72"
        let one = try await harness.send("PROPFIND", "Fund1/a", ["Depth": "0"], asked)
        #expect(one.text.contains("<oc:checksum>\(sums)</oc:checksum>"))
        let all = try await harness.send("PROPFIND", "Fund1/", ["Depth": "1"], asked).text
        #expect(all.components(separatedBy: "<oc:checksum>").count == 2)
        #expect(all.components(separatedBy: "404 Not Found").count == 3)  // of the fund, and of the damaged file
        #expect(try await !harness.send("PROPFIND", "Fund1/", ["Depth": "1"]).text.contains("checksum"))
        let oc = "xmlns:oc='http://owncloud.org/ns'"
        let cases: [(property: String, status: String)] = [
            ("<D:lastmodified>1000000000</D:lastmodified>", "200 OK"),
            (
                "<D:lastmodified>1000000001</D:lastmodified>"
                    + "<oc:checksums \(oc)><oc:checksum>\(sums)</oc:checksum></oc:checksums>",
                "200 OK"
            ),
            ("<D:lastmodified>now</D:lastmodified><z:p/>", "409 Conflict"),
            (
                "<oc:checksums \(oc)><oc:checksum>SHA1:00</oc:checksum></oc:checksums>"
                    + "<D:lastmodified>5</D:lastmodified>",
                "403 Forbidden"
            ),
            ("<D:getlastmodified>1000000000</D:getlastmodified>", "403 Forbidden"),
        ]
        for row in cases {
            let text = try await harness.send("PROPPATCH", "Fund1/a", [:], Self.set(row.property)).text
            #expect(text.contains(row.status), "\(row.property)")
            if row.status != "200 OK" { #expect(!text.contains("200 OK"), "\(row.property)") }
        }
        #expect(try await harness.send("HEAD", "Fund1/a")["last-modified"] == "Sun, 09 Sep 2001 01:46:41 GMT")
        #expect(try await harness.send("PROPPATCH", "Fund1/", [:], Self.set(cases[0].property)).text.contains("403"))
        let times = ["X-OC-Mtime": "1200000000"]
        #expect(try await harness.transfer("COPY", "Fund1/a", to: "Fund1/b", times) == 201)
        #expect(try await harness.send("HEAD", "Fund1/b")["last-modified"] == "Thu, 10 Jan 2008 21:20:00 GMT")
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/c", times) == 201)
        #expect(try await harness.send("HEAD", "Fund1/c")["last-modified"] == "Thu, 10 Jan 2008 21:20:00 GMT")
        try await harness.server.stop()
    }

    /// More than one piece of the answer, and none of it twice.
    @Test func listsMoreThanAPiece() async throws {
        let harness = try await DAVHarness()
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        try StoreSnapshot.execute(
            """
            INSERT INTO folder (fund_id, name, name_key, created_at)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < 2999)
            SELECT \(fund.id), 'f' || n, 'f' || n, 0 FROM number
            """, in: harness.server.folder + "/store")
        let listed = try await harness.ls("Fund1/")
        #expect(listed.count == 3000)
        #expect(Set(listed).count == listed.count)
        try await harness.server.stop()
    }

    /// The command line lets funds have such names.
    @Test(arguments: ["Q1/Q2", "..", "."])
    func showsFundsThatNoPathCanName(_ name: String) async throws {
        let harness = try await DAVHarness()
        _ = try await harness.store.administration.addFund(
            name: name, owner: harness.ann.id, aliases: [], actor: "test")
        let href = try #require(try await harness.ls("").first { $0 != "/dav/Fund1/" })
        #expect(try await harness.status("PUT", href.dropFirst("/dav/".count) + "a", [:], "x") == 201)
        #expect(try await harness.ls(String(href.dropFirst("/dav/".count))) == [href + "a"])
        try await harness.server.stop()
    }

    @Test func findsProperties() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/100%25%20%E6%96%87.txt", [:], "abc")
        _ = try await harness.send("MKCOL", "Fund1/box/")
        let infinite = try await harness.send("PROPFIND", "Fund1/")
        #expect(infinite.status == 403)
        #expect(infinite.text.contains("<D:propfind-finite-depth/>"))
        #expect(try await harness.status("PROPFIND", "Fund1/", ["Depth": "2"]) == 400)
        #expect(try await harness.status("PROPFIND", "Fund1/none", ["Depth": "0"]) == 404)
        let all = try await harness.send("PROPFIND", "Fund1", ["Depth": "1"])
        #expect(all["content-type"] == "application/xml; charset=\"utf-8\"")
        #expect(all["content-location"] == "/dav/Fund1/")
        let root = try MarkupReader.read(all.body)
        #expect(
            root.elements.compactMap { $0.first(.dav("href"))?.text } == [
                "/dav/Fund1/", "/dav/Fund1/box/", "/dav/Fund1/100%25%20%E6%96%87.txt",
            ])
        let file = try #require(root.elements.last?.first(.dav("propstat"))?.first(.dav("prop")))
        #expect(Set(file.elements.map(\.name.local)) == Set(LiveProperty.ofAll.map(\.rawValue)))
        #expect(file.first(.dav("displayname"))?.text == "100% 文.txt")
        #expect(file.first(.dav("getcontentlength"))?.text == "3")
        #expect(file.first(.dav("getcontenttype"))?.text == "text/plain")
        #expect(file.first(.dav("getlastmodified"))?.text.hasSuffix(" GMT") == true)
        #expect(file.first(.dav("creationdate"))?.text.hasSuffix("Z") == true)
        #expect(file.first(.dav("supportedlock"))?.elements.count == 2)
        let names = try await harness.send(
            "PROPFIND", "Fund1/", ["Depth": "0"], "<propfind xmlns='DAV:'><propname/></propfind>")
        #expect(names.text.contains("<D:displayname/>"))
        #expect(!names.text.contains("getcontentlength"))
        try await harness.server.stop()
    }
}
