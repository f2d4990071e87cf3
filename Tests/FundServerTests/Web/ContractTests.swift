internal import Foundation
import FundStore
internal import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Small promises of the web API that no single route keeps.
struct ContractTests {
    /// RFC 9110 §9.3.7, for every path and without a token.
    @Test
    func saysWhatCanBeDone() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        for (path, routes) in Dictionary(grouping: WebAPI.routes, by: \.path) {
            let response = try await harness.send("OPTIONS", "/api" + things.fill(path))
            #expect(response.status == 204 && response.body.isEmpty, "\(path)")
            let allowed = Set((response["allow"] ?? "").split(separator: ", ").map(String.init))
            var expected = Set(routes.map(\.method.rawValue)).union(["OPTIONS"])
            if expected.contains("GET") { expected.insert("HEAD") }
            #expect(allowed == expected, "\(path)")
            let refused = try await harness.send("PROPFIND", "/api" + things.fill(path))
            #expect(refused.status == 405 && refused["allow"] == response["allow"], "\(path)")
        }
        #expect(try await harness.send("OPTIONS", "/api/v1/nothing").status == 404)
        try await harness.stop()
    }

    /// One thing has one address.
    @Test(arguments: ["/api//v1/session", "//api/v1/session", "/api/v1//session", "/api/v1/session//"])
    func doublesNoSlashes(_ path: String) async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        #expect(try await harness.send("GET", "/api/v1/session", token: token).status == 200)
        #expect(try await harness.send("GET", path, token: token).status == 404)
        #expect(try await harness.send("OPTIONS", path).status == 404)
        try await harness.stop()
    }

    /// Two readers of such a body would understand two things.
    @Test(arguments: [
        #"{"name":"a","name":"b"}"#, #"{"name":"a","n\u0061me":"b"}"#, #"{"name":"a","x":{"y":1,"y":2}}"#,
        #"{"name":"a","x":[{"y":1},{"y":1,"z":[],"y":2}]}"#, #"{"name":"a","fund":9223372036854775808}"#,
        #"{"name":"a","fund":-9223372036854775809}"#, #"{"name":"a","fund":9007199254740993.0}"#,
        #"{"name":"a","fund":1e300}"#,
    ])
    func refusesAmbiguousJSON(_ body: String) async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        #expect(try await harness.send("POST", "/api/v1/funds", token: token, json: body).status == 400)
        let wide = Array(body.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
        let response = try await harness.send(
            "POST", "/api/v1/funds", token: token, fields: ["Content-Type": "application/json"], body: wide)
        #expect(response.status == 400)
        try await harness.stop()
    }

    @Test(arguments: [
        "{}", #"{"a":"b","b":"a"}"#, #"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#, #"{"a":"\"a\":1","b":"\\"}"#,
        #"{"a":9223372036854775807,"b":-9223372036854775808,"c":1.5,"d":1e3,"e":9007199254740991.0}"#,
    ])
    func takesOrdinaryJSON(_ text: String) throws { try StrictJSON.check(Array(text.utf8)) }

    @Test(arguments: [#"{"other":1e300}"#, #"{"fund":1,"other":{"fund":1e300}}"#])
    func leavesNumbersAloneThatItDoesNotRead(_ text: String) throws {
        try StrictJSON.check(Array(text.utf8), numbers: ["fund"])
        #expect(throws: FieldError.self) { try StrictJSON.check(Array(text.utf8)) }
    }

    /// All sessions end at once, or all but this one; app passwords only when that is said.
    @Test(arguments: [
        ("", [401, 401, 200]), ("?keep_current=true", [200, 401, 200]),
        ("?app_passwords=true", [401, 401, 401]), ("?keep_current=true&app_passwords=true", [200, 401, 401]),
    ])
    func signsOutEverywhere(_ query: String, _ expected: [Int]) async throws {
        let harness = try await ServerHarness()
        let (ann, bea) = (harness.people.ann, harness.people.bea)
        let (mine, other) = (try await harness.token(of: ann), try await harness.token(of: ann))
        let hers = try await harness.token(of: bea)
        let app = try await harness.appPassword(of: ann)
        let authenticator = try Authenticator(
            store: harness.store.accounts, now: { .now })
        _ = try await authenticator.issueToken(.mobile, for: ann, label: "tablet")
        #expect(try await harness.send("DELETE", "/api/v1/sessions" + query, token: mine).status == 204)
        let dav = ["Authorization": DAVHarness.basic(ann.email, app.characters), "Depth": "0"]
        let statuses = [
            try await harness.send("GET", "/api/v1/session", token: mine).status,
            try await harness.send("GET", "/api/v1/session", token: other).status,
            try await harness.send("PROPFIND", "/dav/", fields: dav).status == 207 ? 200 : 401,
        ]
        #expect(statuses == expected)
        #expect(try await harness.store.accounts.sealedTokens(of: ann.id, limit: 10).isEmpty)
        #expect(try await harness.send("GET", "/api/v1/session", token: hers).status == 200)
        let entry = try #require(
            try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items.first)
        #expect(entry.action == "token.revoke" && entry.actor == ann.email)
        try await harness.stop()
    }
}
