import FundStore
import FundCore
import Testing
import TestSupport

@testable import FundServer

struct DAVAccessTests {
    private static let methods = [
        "OPTIONS", "GET", "HEAD", "PUT", "DELETE", "PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
    ]

    /// Everything is refused alike, before anything is looked up.
    @Test func asksForCredentials() async throws {
        let harness = try await DAVHarness()
        let credentials = [
            "Basic", "Basic !!!", "Bearer abc", DAVHarness.basic("dav@example.com", "wrong"),
            DAVHarness.basic("nobody@example.com", harness.password), DAVHarness.basic("", ""),
            DAVHarness.basic("dav@example.com", ""),
        ]
        for method in Self.methods {
            for path in ["", "Fund1/", "Fund1/nothing", "../x"] {
                let response = try await harness.send(method, path, ["Authorization": "Negotiate abc"])
                #expect(response.status == 401, "\(method) \(path)")
                #expect(response["www-authenticate"] == #"Basic realm="Fundmail", charset="UTF-8""#)
                #expect(response["set-cookie"] == nil)
            }
        }
        for value in credentials {
            #expect(
                try await harness.status("PROPFIND", "", ["Authorization": value, "Depth": "0"]) == 401, "\(value)")
        }
        try await harness.server.stop()
    }

    @Test func asksForPasswordsOnlyWhereNobodyReadsThem() async throws {
        let harness = try await DAVHarness(isBehindProxy: true)
        let far = ["X-Forwarded-For": "192.0.2.7", "Depth": "0"]
        #expect(try await harness.status("PROPFIND", "", far) == 403)
        #expect(try await harness.status("PROPFIND", "", far.merging(["X-Forwarded-Proto": "https"]) { $1 }) == 207)
        #expect(try await harness.status("PROPFIND", "", ["Depth": "0", "X-Forwarded-For": "127.0.0.1"]) == 207)
        try await harness.server.stop()
    }

    /// Things of another user are not there.
    @Test func hidesWhatBelongsToOthers() async throws {
        let harness = try await DAVHarness()
        let (bob, _) = try await DAVHarness.addUser("bob@example.com", to: harness.store)
        let fund = try await harness.store.library.addFund("Secret", of: bob.id)
        _ = try await harness.store.library.addFolder("inside", in: LibraryPlace(fund: fund.id), of: bob.id)
        for method in Self.methods where !["OPTIONS", "PUT", "MKCOL", "LOCK"].contains(method) {
            for path in ["Secret/", "Secret/inside/", "Secret/nothing"] {
                let fields = ["Depth": "infinity", "Destination": "/dav/Fund1/copy", "Lock-Token": "<urn:x>"]
                let body = method == "PROPPATCH" ? Self.patch : ""
                let theirs = try await harness.send(method, path, fields, body)
                let nobodys = try await harness.send(method, "None" + path.dropFirst(6), fields, body)
                #expect(theirs.status == 404, "\(method) \(path)")
                #expect(theirs.body == nobodys.body)
            }
        }
        #expect(try await harness.status("PUT", "Secret/inside/x", [:], "x") == 409)
        #expect(try await harness.status("MKCOL", "Secret/x/") == 409)
        #expect(try await harness.status("LOCK", "Secret/x", [:], DAVHarness.lockBody()) == 409)
        _ = try await harness.send("PUT", "Fund1/a", [:], "a")
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Secret/a") == 409)
        // The name is free for Ann, and makes a fund of her own.
        #expect(try await harness.status("MKCOL", "Secret/") == 201)
        #expect(try await harness.ls("Secret/").isEmpty)
        try await harness.server.stop()
    }

    private static let patch =
        "<a:propertyupdate xmlns:a='DAV:'><a:set><a:prop><x/></a:prop></a:set></a:propertyupdate>"

    private static let targets: [(target: String, status: Int)] = [
        ("/dav/..", 400), ("/dav/../dav/Fund1/", 400), ("/dav/%2e%2e/", 400), ("/dav/Fund1/%2e%2e/Fund1/", 400),
        ("/dav/Fund1/%252e%252e/", 404), ("/dav/Fund1/a%00", 400), ("/dav/Fund1%2Fa", 400), ("/dav/Fund1\\a", 400),
        ("/dav/Fund1/a%5Ca", 404), ("/dav//Fund1", 400), ("/dav/Fund1/%c0%ae%c0%ae/", 400), ("/dav/Fund1/%ff", 400),
        ("/dav/Fund1#x", 400), ("/dav/Fund1/?x=../y", 207), ("/davx", 404), ("/dav", 207), ("/dav/FUND1", 207),
    ]

    @Test func resolvesNamesOnly() async throws {
        let harness = try await DAVHarness()
        for example in Self.targets {
            let response = try await harness.server.raw(
                """
                PROPFIND \(example.target) HTTP/1.1\r\nHost: x\r\nDepth: 1\r
                Authorization: \(DAVHarness.basic("dav@example.com", harness.password))\r\n\r\n
                """)
            #expect(response?.status == example.status, "\(example.target)")
        }
        try await harness.server.stop()
    }

    @Test func namesItsMethods() async throws {
        let harness = try await DAVHarness()
        let options = try await harness.send("OPTIONS", "Fund1/")
        #expect(options.status == 200)
        #expect(options["dav"] == "1, 2, 3")
        #expect(options["ms-author-via"] == "DAV")
        for method in ["POST", "REPORT", "SEARCH", "PATCH", "ACL", "TRACE"] {
            let response = try await harness.send(method, "Fund1/")
            #expect(response.status == 405, "\(method)")
            #expect(response["allow"] == Self.methods.joined(separator: ", "))
        }
        try await harness.server.stop()
    }

    /// Clients probe the root before they sign in (RFC 9110 §9.3.7).
    @Test(arguments: ["*", "/"])
    func tellsOfItselfAtTheRoot(_ target: String) async throws {
        let harness = try await DAVHarness()
        let answer = try #require(try await harness.server.raw("OPTIONS \(target) HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(answer.status == 200)
        #expect(answer["dav"] == "1, 2, 3")
        #expect(answer["ms-author-via"] == "DAV")
        #expect(answer["content-length"] == "0")
        #expect(try await harness.server.raw("OPTIONS /none HTTP/1.1\r\nHost: x\r\n\r\n")?["dav"] == nil)
        try await harness.server.stop()
    }

    private static let bodies: [(body: String, status: Int)] = [
        (
            "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><propfind xmlns='DAV:'><prop>&b;</prop></propfind>",
            400
        ),
        ("<propfind xmlns='DAV:'><prop/>", 400),
        ("<propfind xmlns='DAV:'><prop><x:y xmlns:x=''/></prop></propfind>", 400),
        ("not xml", 400), ("<other/>", 400), (String(repeating: " ", count: 16 * 1024 + 1), 413),
        (String(repeating: "<a>", count: 5000), 400), ("<propfind xmlns='DAV:'><propname/></propfind>", 207),
    ]

    @Test func boundsXML() async throws {
        let harness = try await DAVHarness()
        for example in Self.bodies {
            #expect(try await harness.status("PROPFIND", "Fund1/", ["Depth": "1"], example.body) == example.status)
            if example.status != 207 {
                #expect(try await harness.status("LOCK", "Fund1/", [:], example.body) == example.status)
                #expect([400, 413].contains(try await harness.status("PROPPATCH", "Fund1/", [:], example.body)))
            }
        }
        try await harness.server.stop()
    }
}
