internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

@Suite struct MobileSignTests {
    @Test func theLoginGivesATokenThatSigns() async throws {
        let trial = try await MobileTrial()
        let answer = try await trial.exchange(
            "POST", "/login", #"{"username":"Ann@Example.com","password":"\#(AccountTrial.password)"}"#,
            contentType: "application/json")
        #expect(answer.status == 200 && answer["content-type"] == "application/json; charset=utf-8")
        #expect(Set(answer.json.keys) == ["status", "token", "expire", "user_id"])
        #expect(answer.json["status"] as? String == "OK" && answer.json["user_id"] as? Int64 == trial.ann.id)
        #expect(answer.json["expire"] as? Int64 == trial.clock.now + 3600)
        let session = try await trial.logIn()
        #expect(session.token.utf8.count == 43 && session.token != answer.json["token"] as? String)
        #expect(try await trial.send(trial.call(session, "/funds")).summary == "200")
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
        let trial = try await MobileTrial()
        for type in ["application/x-www-form-urlencoded", "application/x-www-form-urlencoded; charset=utf-8", nil] {
            let answer = try await trial.exchange("POST", "/login", body, contentType: type)
            #expect(answer.summary == "\(status) \(description)")
            #expect(answer.json["status"] as? String == "Error")
            #expect(answer["content-type"] == "application/json; charset=utf-8")
        }
    }

    @Test func loginsAreBounded() async throws {
        let trial = try await MobileTrial()
        let large = String(repeating: "x", count: 17 * 1024)
        #expect(try await trial.exchange("POST", "/login", "username=a&password=\(large)").status == 413)
        #expect(try await trial.exchange("POST", "/login", "<a/>", contentType: "text/xml").status == 415)
        for _ in 0..<5 {
            #expect(try await trial.exchange("POST", "/login", "username=ann@example.com&password=no").status == 401)
        }
        let answer = try await trial.exchange("POST", "/login", "username=ann@example.com&password=no")
        #expect(answer.status == 429 && answer["retry-after"] == "2")
        #expect(answer.json["status"] as? String == "Error")
    }

    /// Each changes one thing after the call was signed, or signs what must not be.
    @Test func everythingIsSigned() async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        let right = trial.call(session, "POST", "/funds", "name=Fund2")
        func refused(_ change: (inout MobileTrial.Call) -> Void, _ line: Int = #line) async throws {
            var call = right
            change(&call)
            let answer = try await trial.send(call)
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
        try await refused { $0.query += "&ts=\(trial.clock.now)" }
        try await refused { $0.path = "/funds/\(trial.bob.id)" }
        try await refused { $0.path = "/funds/0\(session.user)" }
        try await refused { $0.path = "/funds/%3\(session.user)" }
        try await refused { $0.path = "//funds/\(session.user)" }
        try await refused { $0.path = "/funds//\(session.user)" }
        try await refused { $0.sign += "/" }
        var get = right
        get.method = "GET"
        #expect(try await trial.send(get).summary == "401 invalid sign")
        // A right sign does not help a call that is none.
        for query in [
            "", "ts=", "ts=x", "ts=+\(trial.clock.now)", "ts=\(trial.clock.now).0", "nonce=a",
            "ts=\(trial.clock.now)&ts=\(trial.clock.now)&nonce=b", "ts=\(trial.clock.now)&%74s=1&nonce=b",
            "ts=\(trial.clock.now)", "ts=\(trial.clock.now)&nonce=", "ts=\(trial.clock.now)&nonce=a%2Fb",
            "ts=\(trial.clock.now)&nonce=\(String(repeating: "n", count: 65))", "ts=\(trial.clock.now)&nonce=c&nonce=d",
            "ts=\(trial.clock.now)&nonce=%ff",
        ] {
            var call = right
            call.query = query
            #expect(try await trial.send(call.signed(session.token)).summary == "401 invalid sign", "\(query)")
        }
        #expect(try await trial.store.funds(of: trial.ann.id).map(\.name) == ["Fund1"])
        #expect(try await trial.send(right).summary == "200")
        for target in ["/funds", "/notes/1", "/attachments/", "/emails/1/\(session.user)"] {
            #expect(try await trial.exchange("GET", target).summary == "401 invalid sign", "\(target)")
        }
        #expect(try await trial.exchange("GET", "/login").summary == "404 not found")
    }

    @Test(
        arguments: [
            (0, true), (300, true), (-300, true), (301, false), (-301, false), (86_400, false), (-86_400, false),
        ] as [(Int64, Bool)])
    func clocksMayDifferByFiveMinutes(difference: Int64, isTaken: Bool) async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        let call = MobileTrial.Call(path: "/funds/\(session.user)", query: "ts=\(trial.clock.now + difference)")
        let answer = try await trial.send(call.signed(session.token))
        #expect(answer.summary == (isTaken ? "200" : "401 invalid sign"))
    }

    /// A call that was recorded is of no use, over restarts and whatever happens to the server's clock.
    @Test func aChangeIsMadeOnce() async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        let call = trial.call(session, "POST", "/funds", "name=Fund2")
        #expect(try await trial.send(call).summary == "200")
        #expect(try await trial.send(call).summary == "401 invalid sign")
        try await trial.restart()
        #expect(try await trial.send(call).summary == "401 invalid sign")
        trial.clock.advance(1000)
        #expect(try await trial.send(call).summary == "401 invalid sign")
        trial.clock.advance(-1000)
        #expect(try await trial.send(call).summary == "401 invalid sign")
        // The clock jumps ahead, other calls come, and it is set right.
        trial.clock.advance(3000)
        #expect(try await trial.send(trial.call(session, "POST", "/funds", "name=Fund3")).summary == "200")
        trial.clock.advance(-3000)
        try await trial.restart()
        #expect(try await trial.send(call).summary == "401 invalid sign")
        // A nonce is its user's: another may have the same.
        let bob = try await trial.logIn("bob@example.com")
        var other = trial.call(bob, "POST", "/funds", "name=Fund2")
        other.query = call.query
        #expect(try await trial.send(other.signed(bob.token)).summary == "200")
        #expect(try await trial.store.funds(of: trial.ann.id).map(\.name).sorted() == ["Fund1", "Fund2", "Fund3"])
        // What is only read may be read again.
        let read = trial.call(session, "/funds")
        for _ in 0..<2 { #expect(try await trial.send(read).summary == "200") }
    }

    /// The same call many times at once, as an attacker who hopes that one is not noted yet.
    @Test func aChangeIsMadeOnceAlsoAtTheSameMoment() async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        let call = trial.call(session, "POST", "/notes/\(trial.fund.id)", "title=x")
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<12 { group.addTask { try await trial.send(call).summary } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.sorted() == ["200"] + Array(repeating: "401 invalid sign", count: 11))
        #expect(try await trial.store.notes(in: trial.fund.id, since: nil, of: trial.ann.id).notes.count == 1)
    }

    @Test func aRefusedCallSpendsNoNonce() async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        let call = trial.call(session, "POST", "/funds", "name=Fund2")
        var wrong = call
        wrong.sign = String(repeating: "0", count: 64)
        #expect(try await trial.send(wrong).status == 401)
        #expect(try await trial.send(call).summary == "200")
    }

    @Test func tokensEndAnHourAfterTheirLastUse() async throws {
        let trial = try await MobileTrial()
        let session = try await trial.logIn()
        for _ in 0..<3 {
            trial.clock.advance(3599)
            #expect(try await trial.send(trial.call(session, "/funds")).summary == "200")
        }
        trial.clock.advance(3600)
        #expect(try await trial.send(trial.call(session, "/funds")).summary == "401 token expired")
        var wrong = trial.call(session, "/funds")
        wrong.query += "0"
        #expect(try await trial.send(wrong).summary == "401 invalid sign")
        #expect(try await trial.send(trial.call(try await trial.logIn(), "/funds")).summary == "200")
    }

    @Test func severalDevicesAreSignedInAtATime() async throws {
        let trial = try await MobileTrial()
        let sessions = [try await trial.logIn(), try await trial.logIn()]
        for session in sessions { #expect(try await trial.send(trial.call(session, "/funds")).summary == "200") }
        try await trial.restart()
        for session in sessions { #expect(try await trial.send(trial.call(session, "/funds")).summary == "200") }
        let tokens = try await trial.store.tokens(of: trial.ann.id)
        try await trial.store.revokeToken(tokens[0].id, of: trial.ann.id, actor: "t")
        #expect(try await trial.send(trial.call(sessions[1], "/funds")).summary == "401 invalid sign")
        #expect(try await trial.send(trial.call(sessions[0], "/funds")).summary == "200")
    }
}
