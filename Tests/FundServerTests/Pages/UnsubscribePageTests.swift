import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// The addresses in digests: they show and change nothing when they are opened, and end one kind of letters by POST.
struct UnsubscribePageTests {
    private static let oneClick = Array("List-Unsubscribe=One-Click".utf8)

    /// Ann hears of news, and the administrator of both.
    private static func harness() async throws -> (ServerHarness, UnsubscribeSeal) {
        var options = ServerHarness.Options()
        options.letterServer = LetterServer(name: "mail.corp.example", from: "Fundmail <funds@corp.example>")
        let harness = try await ServerHarness(options)
        let accounts = harness.store.accounts
        try await accounts.setDigests(DigestChange(news: .daily), of: harness.people.ann.id, actor: "t")
        try await accounts.setDigests(DigestChange(news: .hourly, desk: true), of: harness.people.root.id, actor: "t")
        return (harness, UnsubscribeSeal(serverKey: try accounts.serverKey()))
    }

    private static func user(_ user: User, _ harness: ServerHarness) async throws -> User {
        try await harness.store.administration.user(user.id).user
    }

    /// The request of a mail program (RFC 8058 §3.2), of a page and of another site, without a session.
    @Test(
        arguments: [
            ["Content-Type": "application/x-www-form-urlencoded"],
            ["Content-Type": "multipart/form-data; boundary=x", "Sec-Fetch-Site": "cross-site"], [:],
            ["Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"],
        ])
    func aRequestEndsOneKind(fields: [String: String]) async throws {
        let (harness, seal) = try await Self.harness()
        let people = harness.people
        let path = "/unsubscribe/\(try seal.token(people.root.id, .desk))"
        let page = try await harness.send("GET", path)
        #expect(page.status == 200 && page.text.contains("about what waits at the desk?"))
        #expect(page["cache-control"] == "no-store")
        #expect(try await harness.send("HEAD", path).status == 200)
        #expect(try await Self.user(people.root, harness).hasDeskDigest)

        for _ in 0..<2 {
            let answer = try await harness.send("POST", path, fields: fields, body: Self.oneClick)
            #expect(answer.status == 200 && answer.text.contains("You get no more letters about what waits"))
        }
        let root = try await Self.user(people.root, harness)
        #expect(!root.hasDeskDigest && root.news == .hourly)
        #expect(try await Self.user(people.ann, harness).news == .daily)
        let entry = try #require(
            try await harness.store.administration.audit(AuditFilter(), PageQuery()).items.first)
        #expect(entry.actor == people.root.email && entry.detail == "desk digest off")
        try await harness.stop()
    }

    @Test
    func noOtherAddressEndsAnything() async throws {
        let (harness, seal) = try await Self.harness()
        let ann = harness.people.ann.id
        let token = try seal.token(ann, .news)
        #expect(try token != seal.token(ann, .news) && token.utf8.count >= 32)
        let other = UnsubscribeSeal(serverKey: [UInt8](repeating: 7, count: 32))
        for wrong in [
            try other.token(ann, .news), String(token.dropLast()), token + "A", "x", "%0d%0aSet-Cookie:x",
            String(repeating: "A", count: 5000),
        ] {
            for method in ["GET", "POST"] {
                let answer = try await harness.send(
                    method, "/unsubscribe/\(wrong)", body: method == "POST" ? Self.oneClick : nil)
                #expect([400, 404, 414].contains(answer.status), "\(method) \(wrong.prefix(60)): \(answer.status)")
            }
        }
        #expect(try await Self.user(harness.people.ann, harness).news == .daily)
        // More than any mail program sends.
        let large = try await harness.send(
            "POST", "/unsubscribe/\(token)", body: [UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
        #expect(large.status == 413)
        // The log has no token.
        #expect(AccessLog.masked("/unsubscribe/\(token)") == "/unsubscribe/***")
        try await harness.stop()
    }

    @Test
    func peopleChooseTheirDigests() async throws {
        let (harness, _) = try await Self.harness()
        let people = harness.people
        let ann = try await BrowserSession(people.ann, harness)
        let page = try await ann.get("/account", harness).text
        #expect(page.contains(#"<option value="daily" selected>"#) && !page.contains(#"id="desk""#))
        let chinese = ["Accept-Language": "zh-CN"]
        #expect(try await ann.post("/account/digests", "news=at_once", harness, fields: chinese).status == 303)
        var user = try await Self.user(people.ann, harness)
        #expect(user.news == .atOnce && user.language == .zh)
        // Who is no administrator gets no digest of the desk.
        #expect(try await ann.post("/account/digests", "news=off&desk=on", harness).status == 400)
        for form in ["news=weekly", "news=", "news=daily%0D%0Ax", "desk=1"] {
            #expect(try await ann.post("/account/digests", form, harness).status == 400, "\(form)")
        }

        let root = try await BrowserSession(people.root, harness)
        let own = try await root.get("/account", harness).text
        #expect(own.contains(#"<option value="on" selected>"#))
        let person = "/office/people/\(people.ann.id)"
        #expect(try await root.get(person, harness).text.contains(#"<option value="at_once" selected>"#))
        #expect(try await root.post(person + "/digests", "news=off", harness).status == 303)
        user = try await Self.user(people.ann, harness)
        #expect(user.news == .off && user.language == .zh)

        let address = people.ann.email.replacing("@", with: "%40")
        for (word, isAnswered) in [("on", true), ("off", false)] {
            let answer = try await root.post(
                person + "/addresses/answer", "address=\(address)&answer=\(word)", harness)
            #expect(answer.status == 303)
            let record = try await harness.store.administration.user(people.ann.id)
            #expect((record.answeredAddresses == [people.ann.email]) == isAnswered)
        }
        for address in ["nobody%40example.com", "x%0D%0Ay", ""] {
            let answer = try await root.post(person + "/addresses/answer", "address=\(address)&answer=on", harness)
            #expect((400..<500).contains(answer.status), "\(address): \(answer.status)")
        }
        try await harness.stop()
    }

    @Test
    func theAPISaysTheSame() async throws {
        let (harness, _) = try await Self.harness()
        let ann = try await harness.token(of: harness.people.ann)
        let root = try await harness.token(of: harness.people.root)
        let own = try await harness.send("GET", "/api/v1/me", token: ann).text
        #expect(own.contains(#""news":"daily","desk_digest":false,"language":null"#), "\(own)")
        let changed = try await harness.send(
            "PATCH", "/api/v1/me", token: ann, json: #"{"news":"hourly","language":"zh"}"#)
        #expect(changed.status == 200 && changed.text.contains(#""news":"hourly","desk_digest":false,"language":"zh""#))
        for json in [#"{"news":"x"}"#, #"{"language":"de"}"#, #"{"desk_digest":true}"#, #"{"news":1}"#] {
            #expect(try await harness.send("PATCH", "/api/v1/me", token: ann, json: json).status == 400, "\(json)")
        }
        let path = "/api/v1/admin/users/\(harness.people.root.id)"
        let off = try await harness.send("PATCH", path, token: root, json: #"{"news":"off","desk_digest":false}"#)
        #expect(off.status == 200 && off.text.contains(#""news":"off","desk_digest":false"#))
        try await harness.stop()
    }
}
