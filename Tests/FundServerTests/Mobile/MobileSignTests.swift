internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

@Suite struct MobileSignTests {
    @Test func theLoginGivesATokenThatSigns() async throws {
        let harness = try await MobileHarness()
        let answer = try await harness.exchange(
            "POST", "/login", #"{"username":"Ann@Example.com","password":"\#(AccountHarness.password)"}"#,
            contentType: "application/json")
        #expect(answer.status == 200 && answer["content-type"] == "application/json; charset=utf-8")
        #expect(Set(answer.json.keys) == ["status", "token", "expire", "user_id"])
        #expect(answer.json["status"] as? String == "OK" && answer.json["user_id"] as? Int64 == harness.ann.id.rawValue)
        #expect(answer.json["expire"] as? Int64 == harness.clock.now.rawValue + 3600)
        let session = try await harness.logIn()
        #expect(session.token.utf8.count == 43 && session.token != answer.json["token"] as? String)
        #expect(try await harness.send(harness.call(session, "/funds")).summary == "200")
    }

    @Test(arguments: [
        ("username=ann@example.com&password=wrong", 401, "invalid username or password"),
        ("username=nobody@example.com&password=wrong", 401, "invalid username or password"),
        ("username=&password=", 401, "invalid username or password"),
        ("username=ann@example.com", 400, "username and password are needed"),
        ("username=a&username=b&password=c", 400, "username stands twice"), ("%", 400, "the body cannot be read"),
        ("", 400, "username and password are needed"),
    ])
    func wrongLogins(body: String, status: Int, description: String) async throws {
        let harness = try await MobileHarness()
        for type in ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8", nil] {
            let answer = try await harness.exchange("POST", "/login", body, contentType: type)
            #expect(answer.summary == "\(status) \(description)")
            #expect(answer.json["status"] as? String == "Error")
            #expect(answer["content-type"] == "application/json; charset=utf-8")
        }
    }

    @Test func loginsAreBounded() async throws {
        let harness = try await MobileHarness()
        let large = String(repeating: "x", count: 17 * 1024)
        #expect(try await harness.exchange("POST", "/login", "username=a&password=\(large)").status == 413)
        #expect(try await harness.exchange("POST", "/login", "<a/>", contentType: "text/xml").status == 415)
        for _ in 0..<5 {
            #expect(try await harness.exchange("POST", "/login", "username=ann@example.com&password=no").status == 401)
        }
        let answer = try await harness.exchange("POST", "/login", "username=ann@example.com&password=no")
        #expect(answer.status == 429 && answer["retry-after"] == "2")
        #expect(answer.json["status"] as? String == "Error")
    }

    /// Each changes one thing after the call was signed, or signs what must not be.
    @Test func everythingIsSigned() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let right = harness.call(session, "POST", "/funds", "name=Fund2")
        func refused(_ change: (inout MobileHarness.Call) -> Void, _ line: Int = #line) async throws {
            var call = right
            change(&call)
            let answer = try await harness.send(call)
            #expect(answer.summary == "401 invalid sign", "line \(line): \(call)")
            #expect(answer["content-type"] == "application/json; charset=utf-8")
        }
        try await refused { $0.sign = "" }
        try await refused { $0.sign.removeLast() }
        try await refused { $0.sign.removeLast(2) }
        try await refused { $0.sign += "0" }
        try await refused { $0.sign = $0.sign.uppercased() }
        try await refused { $0.sign = String(repeating: "0", count: 64) }
        try await refused { $0.body = "name=Fund3" }
        try await refused { $0.body = "" }
        try await refused { $0.query += "&" }
        try await refused { $0.query += "&x=1" }
        try await refused { $0.query = $0.query.replacing("ts=", with: "%74s=") }
        try await refused { $0.query = $0.query.replacing("nonce=", with: "nonce=x") }
        try await refused { $0.query += "&ts=\(harness.clock.now)" }
        try await refused { $0.path = "/funds/\(harness.bob.id)" }
        try await refused { $0.path = "/funds/0\(session.user)" }
        try await refused { $0.path = "/funds/%3\(session.user)" }
        try await refused { $0.path = "//funds/\(session.user)" }
        try await refused { $0.path = "/funds//\(session.user)" }
        try await refused { $0.sign += "/" }
        var get = right
        get.method = "GET"
        #expect(try await harness.send(get).summary == "401 invalid sign")
        // A right sign does not help a call that is none.
        for query in [
            "", "ts=", "ts=x", "ts=+\(harness.clock.now)", "ts=\(harness.clock.now).0", "nonce=a",
            "ts=\(harness.clock.now)&ts=\(harness.clock.now)&nonce=b", "ts=\(harness.clock.now)&%74s=1&nonce=b",
            "ts=\(harness.clock.now)", "ts=\(harness.clock.now)&nonce=", "ts=\(harness.clock.now)&nonce=a%2Fb",
            "ts=\(harness.clock.now)&nonce=\(String(repeating: "n", count: 65))",
            "ts=\(harness.clock.now)&nonce=c&nonce=d",
            "ts=\(harness.clock.now)&nonce=%ff",
        ] {
            var call = right
            call.query = query
            #expect(try await harness.send(call.signed(session.token)).summary == "401 invalid sign", "\(query)")
        }
        #expect(try await harness.store.library.funds(of: harness.ann.id).map(\.name) == ["Fund1"])
        #expect(try await harness.send(right).summary == "200")
        for target in ["/funds", "/notes/1", "/attachments/", "/emails/1/\(session.user)"] {
            #expect(try await harness.exchange("GET", target).summary == "401 invalid sign", "\(target)")
        }
        #expect(try await harness.exchange("GET", "/login").summary == "404 not found")
    }

    @Test(
        arguments: [
            (0, true), (300, true), (-300, true), (301, false), (-301, false), (86_400, false), (-86_400, false),
        ] as [(Int64, Bool)])
    func clocksMayDifferByFiveMinutes(difference: Int64, isTaken: Bool) async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let call = MobileHarness.Call(
            path: "/funds/\(session.user)", query: "ts=\(harness.clock.now + .seconds(difference))")
        let answer = try await harness.send(call.signed(session.token))
        #expect(answer.summary == (isTaken ? "200" : "401 invalid sign"))
    }

    /// A call that was recorded is of no use, over restarts and whatever happens to the server's clock.
    @Test func aChangeIsMadeOnce() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let call = harness.call(session, "POST", "/funds", "name=Fund2")
        #expect(try await harness.send(call).summary == "200")
        #expect(try await harness.send(call).summary == "401 invalid sign")
        try await harness.restart()
        #expect(try await harness.send(call).summary == "401 invalid sign")
        harness.clock.advance(1000)
        #expect(try await harness.send(call).summary == "401 invalid sign")
        harness.clock.advance(-1000)
        #expect(try await harness.send(call).summary == "401 invalid sign")
        // The clock jumps ahead, other calls come, and it is set right.
        harness.clock.advance(3000)
        #expect(try await harness.send(harness.call(session, "POST", "/funds", "name=Fund3")).summary == "200")
        harness.clock.advance(-3000)
        try await harness.restart()
        #expect(try await harness.send(call).summary == "401 invalid sign")
        // A nonce is its user's: another may have the same.
        let bob = try await harness.logIn("bob@example.com")
        var other = harness.call(bob, "POST", "/funds", "name=Fund2")
        other.query = call.query
        #expect(try await harness.send(other.signed(bob.token)).summary == "200")
        #expect(
            try await harness.store.library.funds(of: harness.ann.id).map(\.name).sorted() == [
                "Fund1", "Fund2", "Fund3",
            ])
        // A read may be repeated.
        let read = harness.call(session, "/funds")
        for _ in 0..<2 { #expect(try await harness.send(read).summary == "200") }
    }

    /// An attacker sends one call many times at once, and hopes that it is not noted yet.
    @Test func aChangeIsMadeOnceAlsoAtTheSameMoment() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let call = harness.call(session, "POST", "/notes/\(harness.fund.id)", "title=x")
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<12 { group.addTask { try await harness.send(call).summary } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == ["200"] + Array(repeating: "401 invalid sign", count: 11))
        #expect(
            try await harness.store.library.notes(in: harness.fund.id, since: nil, of: harness.ann.id).notes.count == 1)
    }

    @Test func aRefusedCallSpendsNoNonce() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        let call = harness.call(session, "POST", "/funds", "name=Fund2")
        var wrong = call
        wrong.sign = String(repeating: "0", count: 64)
        #expect(try await harness.send(wrong).status == 401)
        #expect(try await harness.send(call).summary == "200")
    }

    @Test func tokensEndAnHourAfterTheirLastUse() async throws {
        let harness = try await MobileHarness()
        let session = try await harness.logIn()
        for _ in 0..<3 {
            harness.clock.advance(3599)
            #expect(try await harness.send(harness.call(session, "/funds")).summary == "200")
        }
        harness.clock.advance(3600)
        #expect(try await harness.send(harness.call(session, "/funds")).summary == "401 token expired")
        var wrong = harness.call(session, "/funds")
        wrong.query += "0"
        #expect(try await harness.send(wrong).summary == "401 invalid sign")
        #expect(try await harness.send(harness.call(try await harness.logIn(), "/funds")).summary == "200")
    }

    @Test func severalDevicesAreSignedInAtATime() async throws {
        let harness = try await MobileHarness()
        let sessions = [try await harness.logIn(), try await harness.logIn()]
        for session in sessions { #expect(try await harness.send(harness.call(session, "/funds")).summary == "200") }
        try await harness.restart()
        for session in sessions { #expect(try await harness.send(harness.call(session, "/funds")).summary == "200") }
        let tokens = try await harness.store.accounts.tokens(of: harness.ann.id)
        try await harness.store.accounts.revokeToken(tokens[0].id, of: harness.ann.id, actor: "t")
        #expect(try await harness.send(harness.call(sessions[1], "/funds")).summary == "401 invalid sign")
        #expect(try await harness.send(harness.call(sessions[0], "/funds")).summary == "200")
    }
}
