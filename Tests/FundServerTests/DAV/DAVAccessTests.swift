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
        let trial = try await DAVTrial()
        let credentials = [
            "Basic", "Basic !!!", "Bearer abc", DAVTrial.basic("dav@example.com", "wrong"),
            DAVTrial.basic("nobody@example.com", trial.password), DAVTrial.basic("", ""),
            DAVTrial.basic("dav@example.com", ""),
        ]
        for method in Self.methods {
            for path in ["", "Fund1/", "Fund1/nothing", "../x"] {
                let response = try await trial.send(method, path, ["Authorization": "Negotiate abc"])
                #expect(response.status == 401, "\(method) \(path)")
                #expect(response["www-authenticate"] == #"Basic realm="Fundmail", charset="UTF-8""#)
                #expect(response["set-cookie"] == nil)
            }
        }
        for value in credentials {
            #expect(try await trial.status("PROPFIND", "", ["Authorization": value, "Depth": "0"]) == 401, "\(value)")
        }
        try await trial.server.stop()
    }

    @Test func asksForPasswordsOnlyWhereNobodyReadsThem() async throws {
        let trial = try await DAVTrial(isBehindProxy: true)
        let far = ["X-Forwarded-For": "192.0.2.7", "Depth": "0"]
        #expect(try await trial.status("PROPFIND", "", far) == 403)
        #expect(try await trial.status("PROPFIND", "", far.merging(["X-Forwarded-Proto": "https"]) { $1 }) == 207)
        #expect(try await trial.status("PROPFIND", "", ["Depth": "0", "X-Forwarded-For": "127.0.0.1"]) == 207)
        try await trial.server.stop()
    }

    /// What is another user's is not there.
    @Test func hidesWhatBelongsToOthers() async throws {
        let trial = try await DAVTrial()
        let (bob, _) = try await DAVTrial.addUser("bob@example.com", to: trial.store)
        let fund = try await trial.store.addFund("Secret", of: bob.id)
        _ = try await trial.store.addFolder("inside", in: LibraryPlace(fund: fund.id), of: bob.id)
        for method in Self.methods where !["OPTIONS", "PUT", "MKCOL", "LOCK"].contains(method) {
            for path in ["Secret/", "Secret/inside/", "Secret/nothing"] {
                let fields = ["Depth": "infinity", "Destination": "/dav/Fund1/copy", "Lock-Token": "<urn:x>"]
                let body = method == "PROPPATCH" ? Self.patch : ""
                let theirs = try await trial.send(method, path, fields, body)
                let nobodys = try await trial.send(method, "None" + path.dropFirst(6), fields, body)
                #expect(theirs.status == 404, "\(method) \(path)")
                #expect(theirs.body == nobodys.body)
            }
        }
        #expect(try await trial.status("PUT", "Secret/inside/x", [:], "x") == 409)
        #expect(try await trial.status("MKCOL", "Secret/x/") == 409)
        #expect(try await trial.status("LOCK", "Secret/x", [:], DAVTrial.lockBody()) == 409)
        _ = try await trial.send("PUT", "Fund1/a", [:], "a")
        #expect(try await trial.transfer("MOVE", "Fund1/a", to: "Secret/a") == 409)
        // The name is free for Ann, and makes a fund of her own.
        #expect(try await trial.status("MKCOL", "Secret/") == 201)
        #expect(try await trial.ls("Secret/").isEmpty)
        try await trial.server.stop()
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
        let trial = try await DAVTrial()
        for example in Self.targets {
            let response = try await trial.server.raw(
                """
                PROPFIND \(example.target) HTTP/1.1\r\nHost: x\r\nDepth: 1\r
                Authorization: \(DAVTrial.basic("dav@example.com", trial.password))\r\n\r\n
                """)
            #expect(response?.status == example.status, "\(example.target)")
        }
        try await trial.server.stop()
    }

    @Test func namesItsMethods() async throws {
        let trial = try await DAVTrial()
        let options = try await trial.send("OPTIONS", "Fund1/")
        #expect(options.status == 200)
        #expect(options["dav"] == "1, 2, 3")
        #expect(options["ms-author-via"] == "DAV")
        for method in ["POST", "REPORT", "SEARCH", "PATCH", "ACL", "TRACE"] {
            let response = try await trial.send(method, "Fund1/")
            #expect(response.status == 405, "\(method)")
            #expect(response["allow"] == Self.methods.joined(separator: ", "))
        }
        try await trial.server.stop()
    }

    /// Clients probe the root before they sign in (RFC 9110 §9.3.7).
    @Test(arguments: ["*", "/"])
    func tellsOfItselfAtTheRoot(_ target: String) async throws {
        let trial = try await DAVTrial()
        let answer = try #require(try await trial.server.raw("OPTIONS \(target) HTTP/1.1\r\nHost: x\r\n\r\n"))
        #expect(answer.status == 200)
        #expect(answer["dav"] == "1, 2, 3")
        #expect(answer["ms-author-via"] == "DAV")
        #expect(answer["content-length"] == "0")
        #expect(try await trial.server.raw("OPTIONS /none HTTP/1.1\r\nHost: x\r\n\r\n")?["dav"] == nil)
        try await trial.server.stop()
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
        let trial = try await DAVTrial()
        for example in Self.bodies {
            #expect(try await trial.status("PROPFIND", "Fund1/", ["Depth": "1"], example.body) == example.status)
            if example.status != 207 {
                #expect(try await trial.status("LOCK", "Fund1/", [:], example.body) == example.status)
                #expect([400, 413].contains(try await trial.status("PROPPATCH", "Fund1/", [:], example.body)))
            }
        }
        try await trial.server.stop()
    }
}
