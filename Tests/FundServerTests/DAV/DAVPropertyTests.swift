import FundStore
import Ingest
import Testing
import TestSupport

@testable import FundServer

struct DAVPropertyTests {
    private static func update(_ steps: String) -> String {
        "<D:propertyupdate xmlns:D=\"DAV:\" xmlns:z=\"urn:z\" xml:lang=\"de\">\(steps)</D:propertyupdate>"
    }

    private static func set(_ property: String) -> String { update("<D:set><D:prop>\(property)</D:prop></D:set>") }

    @Test func keepsDeadPropertiesExactly() async throws {
        let trial = try await DAVTrial()
        _ = try await trial.send("PUT", "Fund1/a", [:], "x")
        let property = "<z:p a=\"1\" z:b=\"&lt;&#10;\"><q xmlns=\"urn:q\">Grüße &amp; <z:r/>\u{1F600}</q> tail</z:p>"
        #expect(try await trial.status("PROPPATCH", "Fund1/a", [:], Self.set(property)) == 207)
        for path in ["Fund1/a", "Fund1/b", "Fund1/c"] {
            if path == "Fund1/b" { #expect(try await trial.transfer("COPY", "Fund1/a", to: path) == 201) }
            if path == "Fund1/c" { #expect(try await trial.transfer("MOVE", "Fund1/b", to: path) == 201) }
            for (target, depth) in [(path, "0"), ("Fund1/", "1")] {
                let response = try await trial.send("PROPFIND", target, ["Depth": depth])
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
        #expect(try await trial.send("PROPPATCH", "Fund1/a", [:], remove).text.contains("200 OK"))
        #expect(try await !trial.send("PROPFIND", "Fund1/a", ["Depth": "0"]).text.contains("urn:z"))
        try await trial.server.stop()
    }

    @Test func changesAllOrNothing() async throws {
        let trial = try await DAVTrial()
        _ = try await trial.send("PUT", "Fund1/a", [:], "x")
        let response = try await trial.send(
            "PROPPATCH", "Fund1/a", [:], Self.set("<z:p>1</z:p><D:getetag>x</D:getetag>"))
        #expect(response.status == 207)
        #expect(response.text.contains("424 Failed Dependency"))
        #expect(response.text.contains("403 Forbidden"))
        #expect(response.text.contains("cannot-modify-protected-property"))
        for (name, status) in [("p", 404), ("etag", 404)] {
            let asked = "<D:propfind xmlns:D=\"DAV:\"><D:prop><\(name) xmlns=\"urn:z\"/></D:prop></D:propfind>"
            #expect(
                try await trial.send("PROPFIND", "Fund1/a", ["Depth": "0"], asked).text.contains("\(status) Not Found"))
        }
        #expect(try await trial.send("PROPPATCH", "", [:], Self.set("<z:p/>")).text.contains("403 Forbidden"))
        try await trial.server.stop()
    }

    @Test func boundsDeadProperties() async throws {
        let trial = try await DAVTrial()
        _ = try await trial.send("PUT", "Fund1/a", [:], "x")
        var statuses: [Bool] = []
        for index in 0..<6 {
            let value = String(repeating: "x", count: 60_000)
            let response = try await trial.send(
                "PROPPATCH", "Fund1/a", [:], Self.set("<z:p\(index)>\(value)</z:p\(index)>"))
            statuses.append(response.text.contains("507 Insufficient Storage"))
        }
        #expect(statuses == [false, false, false, false, true, true])
        #expect(
            try await trial.status("PROPPATCH", "Fund1/a", [:], Self.set(String(repeating: " ", count: 65_536))) == 413)
        try await trial.server.stop()
    }

    /// More than one piece of the answer, and none of it twice.
    @Test func listsMoreThanAPiece() async throws {
        let trial = try await DAVTrial()
        let fund = try #require(try await trial.store.funds(of: trial.ann.id).first)
        try StoreSnapshot.execute(
            """
            INSERT INTO folder (fund_id, name, name_key, created_at)
            WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < \(WebDAV.membersAPiece + 1))
            SELECT \(fund.id), 'f' || n, 'f' || n, 0 FROM number
            """, in: trial.server.folder + "/store")
        let listed = try await trial.ls("Fund1/")
        #expect(listed.count == WebDAV.membersAPiece + 2)
        #expect(Set(listed).count == listed.count)
        try await trial.server.stop()
    }

    /// The command line lets funds have such names.
    @Test(arguments: ["Q1/Q2", "..", "."])
    func showsFundsThatNoPathCanName(_ name: String) async throws {
        let trial = try await DAVTrial()
        _ = try await trial.store.addFund(name: name, owner: trial.ann.id, aliases: [], actor: "test")
        let href = try #require(try await trial.ls("").first { $0 != "/dav/Fund1/" })
        #expect(try await trial.status("PUT", href.dropFirst("/dav/".count) + "a", [:], "x") == 201)
        #expect(try await trial.ls(String(href.dropFirst("/dav/".count))) == [href + "a"])
        try await trial.server.stop()
    }

    @Test func findsProperties() async throws {
        let trial = try await DAVTrial()
        _ = try await trial.send("PUT", "Fund1/100%25%20%E6%96%87.txt", [:], "abc")
        _ = try await trial.send("MKCOL", "Fund1/box/")
        let infinite = try await trial.send("PROPFIND", "Fund1/")
        #expect(infinite.status == 403)
        #expect(infinite.text.contains("<D:propfind-finite-depth/>"))
        #expect(try await trial.status("PROPFIND", "Fund1/", ["Depth": "2"]) == 400)
        #expect(try await trial.status("PROPFIND", "Fund1/none", ["Depth": "0"]) == 404)
        let all = try await trial.send("PROPFIND", "Fund1", ["Depth": "1"])
        #expect(all["content-type"] == "application/xml; charset=\"utf-8\"")
        #expect(all["content-location"] == "/dav/Fund1/")
        let root = try MarkupReader.read(all.body)
        #expect(
            root.elements.compactMap { $0.first(.dav("href"))?.text } == [
                "/dav/Fund1/", "/dav/Fund1/box/", "/dav/Fund1/100%25%20%E6%96%87.txt",
            ])
        let file = try #require(root.elements.last?.first(.dav("propstat"))?.first(.dav("prop")))
        #expect(Set(file.elements.map(\.name.local)) == Set(LiveProperty.allCases.map(\.rawValue)))
        #expect(file.first(.dav("displayname"))?.text == "100% 文.txt")
        #expect(file.first(.dav("getcontentlength"))?.text == "3")
        #expect(file.first(.dav("getcontenttype"))?.text == "text/plain")
        #expect(file.first(.dav("getlastmodified"))?.text.hasSuffix(" GMT") == true)
        #expect(file.first(.dav("creationdate"))?.text.hasSuffix("Z") == true)
        #expect(file.first(.dav("supportedlock"))?.elements.count == 2)
        let names = try await trial.send(
            "PROPFIND", "Fund1/", ["Depth": "0"], "<propfind xmlns='DAV:'><propname/></propfind>")
        #expect(names.text.contains("<D:displayname/>"))
        #expect(!names.text.contains("getcontentlength"))
        try await trial.server.stop()
    }
}
