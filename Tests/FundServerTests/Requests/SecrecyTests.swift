import TestSupport
import Testing

@testable import FundServer

/// Over an open line from another machine anybody could read the password, whichever face asks for it.
struct SecrecyTests {
    @Test(arguments: [
        ("203.0.113.9", "http", 403), ("203.0.113.9", "https", 401), ("127.0.0.1", "http", 401), ("::1", "http", 401),
        ("unknown", "http", 403), ("unix:", "http", 403), ("garbage", "https", 401),
    ])
    func passwordsComeOverSafeLinesOnly(client: String, scheme: String, status: Int) async throws {
        var options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        let harness = try await ServerHarness(options)
        let line = ["X-Forwarded-For": "9.9.9.9, \(client)", "X-Forwarded-Proto": scheme]
        func send(_ method: String, _ target: String, _ type: String, _ body: String) async throws -> RawHTTPResponse {
            try await harness.send(
                method, target, fields: line.merging(["Content-Type": type]) { $1 }, body: Array(body.utf8))
        }
        let form = try await send("POST", "/login", "application/x-www-form-urlencoded", "username=a&password=b")
        #expect(form.status == status)
        let json = try await send(
            "POST", "/api/v1/session", "application/json", #"{"username":"a","password":"b"}"#)
        #expect(json.status == status)
        // a:b
        let basic = line.merging(["Authorization": "Basic YTpi"]) { $1 }
        #expect(try await harness.send("PROPFIND", "/dav/", fields: basic).status == status)
        try await harness.stop()
    }
}
