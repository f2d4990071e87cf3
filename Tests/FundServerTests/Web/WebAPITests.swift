import FundHTTP
internal import Foundation
import FundStore
import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Parts of the web API that the other tests do not walk through.
struct WebAPITests {
    private func json(_ response: RawHTTPResponse) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
    }

    @Test
    func signsInAndOut() async throws {
        let harness = try await ServerHarness()
        func signIn(_ name: String, _ password: String) async throws -> RawHTTPResponse {
            try await harness.send(
                "POST", "/api/v1/session", json: #"{"username":"\#(name)","password":"\#(password)"}"#)
        }
        #expect(try await signIn("ann@example.com", "wrong").status == 401)
        #expect(try await signIn("nobody@example.com", "wrong").status == 401)
        #expect(try await signIn("dan@example.com", TestPeople.password).status == 401)
        let session = try json(try await signIn("ANN@example.com", TestPeople.password))
        let token = try #require(session["token"] as? String)
        #expect(try await harness.send("GET", "/api/v1/funds", token: token).status == 200)
        #expect(try await harness.send("GET", "/api/v1/funds?token=\(token)").status == 401)
        #expect(try await harness.send("GET", "/api/v1/funds", fields: ["Cookie": "token=\(token)"]).status == 401)
        #expect(try await harness.send("DELETE", "/api/v1/session", token: token).status == 204)
        #expect(try await harness.send("GET", "/api/v1/funds", token: token).status == 401)
        try await harness.stop()
    }

    /// An administrator who disables a user ends what they do from the next request on.
    @Test
    func shutsOutAtOnce() async throws {
        let harness = try await ServerHarness()
        let bea = try await harness.token(of: harness.people.bea)
        let root = try await harness.token(of: harness.people.root)
        #expect(try await harness.send("GET", "/api/v1/funds", token: bea).status == 200)
        let target = "/api/v1/admin/users/\(harness.people.bea.id)"
        #expect(try await harness.send("PATCH", target, token: root, json: #"{"is_disabled":true}"#).status == 200)
        #expect(try await harness.send("GET", "/api/v1/funds", token: bea).status == 401)
        try await harness.stop()
    }

    /// One of them stays, whichever came first.
    @Test
    func administratorsCannotDisableEachOther() async throws {
        let harness = try await ServerHarness()
        let root = harness.people.root
        let other = try await harness.store.administration.addUser(
            email: "second@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        try await harness.store.administration.setDisabled(true, user: other.id, actor: root.email)
        // The request had been let in just before.
        await #expect {
            try await harness.store.administration.setDisabled(true, user: root.id, actor: other.email)
        } throws: { ($0 as? StoreError)?.code == .conflict }
        #expect(try await harness.store.accounts.account(root.id)?.user.isDisabled == false)
        try await harness.stop()
    }

    /// A slow upload meant one file; what has its old name by now is another.
    @Test
    func replacesTheFileThatWasMeant() async throws {
        var options = ServerHarness.Options()
        options.settings.limits.bodyGrace = .seconds(3600)
        let harness = try await ServerHarness(options)
        let (store, ann) = (harness.store, harness.people.ann.id)
        let token = try await harness.token(of: harness.people.ann)
        let place = LibraryPlace(fund: harness.people.fund.id)
        func put(_ name: String, _ text: String) async throws -> FileEntry {
            let upload = try store.library.makeUpload(named: name, announcing: nil)
            try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
            let target = FileTarget(name, in: place, ifTaken: .refuse)
            return try await store.library.addFile(try upload.finish(contentType: "text/plain"), at: target, of: ann)
        }
        let file = try await put("a", "old")
        let tag = "\"\(file.digest.hex)\""
        func begin(_ more: String) async throws -> RawHTTPConnection {
            let temporary = harness.folder + "/store/tmp"
            try await eventually { try DiskDirectory.names(in: temporary).isEmpty }
            let connection = try RawHTTPConnection(port: harness.port)
            await connection.send(
                """
                PUT /api/v1/files/\(file.id)/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r
                Content-Type: text/plain\r\n\(more)Transfer-Encoding: chunked\r\n\r\n1\r\nn\r\n
                """)
            // An upload of unknown size has a file from its beginning on.
            try await eventually { try DiskDirectory.names(in: temporary).count == 1 }
            return connection
        }
        let first = try await begin("If-Match: \(tag)\r\n")
        _ = try await store.library.move(.file(file.id), to: place, named: "b", ifTaken: .refuse, of: ann)
        let other = try await put("a", "other")
        await first.send("2\r\new\r\n0\r\n\r\n")
        #expect(await first.response()?.status == 200)
        #expect(try await store.library.file(file.id, of: ann).digest == .of(Array("new".utf8)))
        #expect(try await store.library.file(other.id, of: ann).digest == other.digest)
        // Written to in between, and deleted in between.
        let second = try await begin("If-Match: \"\(ContentDigest.of(Array("new".utf8)).hex)\"\r\n")
        let changed = try await harness.send(
            "PUT", "/api/v1/files/\(file.id)/content", token: token, fields: ["Content-Type": "text/plain"],
            body: Array("newer".utf8))
        #expect(changed.status == 200)
        await second.send("2\r\new\r\n0\r\n\r\n")
        #expect(await second.response()?.status == 412)
        let third = try await begin("")
        try await store.library.delete(.file(file.id), of: ann)
        await third.send("2\r\new\r\n0\r\n\r\n")
        #expect(await third.response()?.status == 404)
        let part = try await harness.send(
            "PUT", "/api/v1/files/\(other.id)/content", token: token,
            fields: ["Content-Type": "text/plain", "Content-Range": "bytes 0-0/5"], body: [1])
        #expect(part.status == 400)
        #expect(try await store.library.file(other.id, of: ann).digest == other.digest)
        try await harness.stop()
    }

    @Test
    func takesUploadsAndGivesThemBack() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let bytes = patternBytes(2_000_003)
        let target = "/api/v1/funds/\(harness.people.fund.id)/files?name=%C3%BC%20b.txt"
        let fields = ["Content-Type": "text/plain"]
        let first = try await harness.send("POST", target, token: token, fields: fields, body: bytes)
        #expect(first.status == 201)
        let file = try json(first)
        #expect(file["name"] as? String == "ü b.txt")
        #expect(file["sha256"] as? String == ContentDigest.of(bytes).hex)
        let location = try #require(first["location"])
        #expect(try await harness.send("GET", location + "/content", token: token).body == bytes)
        #expect(try await harness.send("POST", target, token: token, fields: fields, body: bytes).status == 409)
        let second = try await harness.send(
            "POST", target + "&if_taken=number", token: token, fields: fields, body: [1])
        #expect(try json(second)["name"] as? String == "ü b(1).txt")
        let stale = try await harness.send(
            "PUT", location + "/content", token: token, fields: ["Content-Type": "text/plain", "If-Match": "\"x\""],
            body: [1])
        #expect(stale.status == 412)
        #expect(
            try await harness.send("PUT", location + "/content", token: token, fields: fields, body: [1]).status == 200)
        #expect(try await harness.send("GET", location + "/content", token: token).body == [1])
        // A form of another site can send these two, but never a token; refused all the same.
        let form = ["Content-Type": "multipart/form-data; boundary=x"]
        #expect(try await harness.send("POST", target + "2", token: token, fields: form, body: bytes).status == 415)
        try await harness.stop()
    }

    /// `If-Match` holds when the bytes are there, not only when they begin to come.
    @Test
    func refusesAnUploadThatAnotherOneOvertook() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let fields = ["Content-Type": "text/plain"]
        let target = "/api/v1/funds/\(harness.people.fund.id)/files?name=a.txt"
        let made = try await harness.send("POST", target, token: token, fields: fields, body: [1])
        let content = try #require(made["location"]) + "/content"
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(
            """
            PUT \(content) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nContent-Type: text/plain\r
            If-Match: "\(ContentDigest.of([1]).hex)"\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n
            """)
        // An upload of unknown size has a file from its beginning on.
        try await eventually { try !DiskDirectory.names(in: harness.folder + "/store/tmp").isEmpty }
        #expect(try await harness.send("PUT", content, token: token, fields: fields, body: [2]).status == 200)
        await connection.send("1\r\ny\r\n0\r\n\r\n")
        #expect(await connection.response()?.status == 412)
        #expect(try await harness.send("GET", content, token: token).body == [2])
        try await harness.stop()
    }

    @Test
    func tellsOfChangesAsTheyHappen() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let cursor = try #require(
            try json(try await harness.send("GET", "/api/v1/changes?limit=500", token: token))["cursor"] as? Int)
        let connection = try RawHTTPConnection(port: harness.port)
        await connection.send(
            """
            GET /api/v1/changes?since=\(cursor) HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\
            Authorization: Bearer \(token)\r\n\r\n
            """)
        try await eventually { harness.metrics.connections.openConnections == 1 }
        let note = try await harness.store.library.addNote(
            NoteText(title: "t", content: "c"), in: harness.people.fund.id, of: harness.people.ann.id)
        let change = "\"type\":\"note\",\"id\":\(note.id),\"is_deleted\":false}"
        let text = await connection.text(until: change)
        #expect(text.contains("text/event-stream"))
        #expect(text.contains("event: change\ndata: {\"cursor\":"))
        #expect(text.contains(change))
        // The stream ends with the server.
        async let isClosed = connection.isClosed(within: .seconds(60))
        try await harness.stop()
        #expect(await isClosed)
    }

    /// A change made elsewhere is not overwritten.
    @Test
    func refusesStaleChangesOfNotes() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let note = try await harness.store.library.addNote(
            NoteText(title: "t", content: "c"), in: harness.people.fund.id, of: harness.people.ann.id)
        let change = #"{"title":"t","content":"d","unless_changed_since":\#(note.modifiedAt)}"#
        #expect(try await harness.send("PUT", "/api/v1/notes/\(note.id)", token: token, json: change).status == 200)
        #expect(try await harness.send("PUT", "/api/v1/notes/\(note.id)", token: token, json: change).status == 409)
        try await harness.stop()
    }

    /// An empty word is not one of those that are known.
    @Test(arguments: ["", "x"])
    func refusesUnknownWords(_ word: String) async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let root = try await harness.token(of: harness.people.root)
        let attachment = try await harness.store.library.email(harness.people.email, of: harness.people.ann.id)
            .attachments[0]
            .id
        let answers = [
            try await harness.send(
                "GET", "/api/v1/attachments/\(attachment)/content?disposition=\(word)", token: token),
            try await harness.send(
                "POST", "/api/v1/funds/\(harness.people.fund.id)/files?name=a&if_taken=\(word)", token: token,
                fields: ["Content-Type": "text/plain"], body: [1]),
            try await harness.send("GET", "/api/v1/admin/misrouted?reason=\(word)", token: root),
        ]
        #expect(answers.map(\.status) == [400, 400, 400])
        try await harness.stop()
    }

    @Test(arguments: ["[", "{}", #"{"name":1}"#, #"{"name":null}"#, "", "\u{0}", #"{"name":"a/b"}"#])
    func refusesBodiesThatMakeNoSense(_ body: String) async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        #expect(try await harness.send("POST", "/api/v1/funds", token: token, json: body).status == 400)
        try await harness.stop()
    }

    /// A revoked token ends the stream also where changes never cease.
    @Test
    func endsTheStreamWithTheToken() async throws {
        let harness = try await ServerHarness()
        let (store, ann, fund) = (harness.store, harness.people.ann, harness.people.fund)
        let token = try await harness.token(of: ann)
        let stream = try RawHTTPConnection(port: harness.port)
        await stream.send(
            """
            GET /api/v1/changes HTTP/1.1\r
            Host: a\r
            Accept: text/event-stream\r
            Connection: close\r
            Authorization: Bearer \(token)\r
            \r

            """)
        // The header comes with the first events.
        #expect(await stream.response(hasBody: false)?.status == 200)
        #expect(try await harness.send("DELETE", "/api/v1/session", token: token).status == 204)
        // The next change wakes the stream.
        _ = try await store.library.addNote(NoteText(title: "secret", content: ""), in: fund.id, of: ann.id)
        #expect(await stream.isClosed(within: .seconds(60)))
        try await harness.stop()
    }

    /// A user cannot hold up the mail of others with names that their funds do not need.
    @Test
    func boundsAliases() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let target = "/api/v1/funds/\(harness.people.fund.id)"
        func answer(_ count: Int) async throws -> Int {
            let names = (0..<count).map { "\"a\($0)\"" }.joined(separator: ",")
            return try await harness.send("PATCH", target, token: token, json: "{\"aliases\":[\(names)]}").status
        }
        #expect(try await answer(101) == 400)
        #expect(try await answer(100) == 200)
        try await harness.stop()
    }

    /// The bytes of a mail, to its owner, as long as they are kept and what they were.
    @Test
    func givesMessagesAsTheyCame() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let target = "/api/v1/emails/\(harness.people.email)/raw"
        let raw = "Subject: first\r\nFrom: ann@example.com\r\n\r\nfirst\r\n"
        let answer = try await harness.send("GET", target, token: token)
        #expect(answer.status == 200 && answer.text == raw && answer["content-type"] == "message/rfc822")
        #expect(answer["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(answer["content-security-policy"]?.contains("sandbox") == true)
        let digest = ContentDigest.of(Array(raw.utf8))
        #expect(answer["etag"] == "\"\(digest.hex)\"")
        let words = try await harness.send("GET", "/api/v1/emails/\(harness.people.email)/text", token: token)
        #expect(words["content-type"] == "text/plain; charset=utf-8" && words.text == "body of first")
        let part = try await harness.send("GET", target, token: token, fields: ["Range": "bytes=9-13"])
        #expect(part.status == 206 && part.text == "first")
        let record = try harness.store.record(of: digest)
        try record.damage()
        let isRead = PageCache.letGo(of: record.path)  // what is in memory since it was checked is not
        #expect(try await harness.send("GET", target, token: token).status == (isRead ? 500 : 200))
        let last = try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items.first
        #expect(!isRead || last?.action == "blob.damaged")
        // In the second after the one in which it was filed.
        try await eventually { try await harness.store.maintenance.applyRetention(rawDays: 0).rawMessages == 1 }
        #expect(try await harness.send("GET", target, token: token).status == 404)
        try await harness.stop()
    }

    /// The server looks at its health once a second, however often it is asked.
    @Test
    func looksOnceForAllWhoAsk() async throws {
        let (looks, asked) = (Count(), Count())
        let (clock, quiet) = (ManualClock(), MobileServer.quiet)
        let check = HealthCheck("store") {
            looks.grow()
            // All the others come while it looks.
            try? await eventually { asked.number >= 200 }
            return "full"
        }
        let readiness = Readiness([check]) { clock.now }
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<200 {
                group.addTask {
                    asked.grow()
                    return try await readiness.findings(logger: quiet).map(\.name)
                }
            }
            for try await failing in group { #expect(failing == ["store"]) }
        }
        #expect(looks.number == 1)
        for (age, count) in [(Readiness.lifetime - .nanoseconds(1), 1), (.nanoseconds(1), 2)] {
            clock.advance(by: age)
            _ = try await readiness.findings(logger: quiet)
            #expect(looks.number == count)
        }
    }

    @Test
    func countsFailedLogins() async throws {
        var options = ServerHarness.Options()
        // The clock stands still: no one has waited long enough.
        let now = options.now()
        options.now = { now }
        let harness = try await ServerHarness(options)
        let login = #"{"username":"ann@example.com","password":"wrong"}"#
        for _ in 0..<6 { _ = try await harness.send("POST", "/api/v1/session", json: login) }
        _ = try await harness.send("GET", "/api/v1/funds", token: "x")
        _ = try await harness.send("GET", "/api/v1/funds", token: harness.token(of: harness.people.ann, issuedAt: 1))
        let sign = String(repeating: "ab", count: 32)
        _ = try await harness.send("GET", "/funds/\(harness.people.ann.id)/\(sign)?ts=\(now)")
        let metrics = try await harness.send("GET", "/metrics").text
        for (kind, count) in ["password": 5, "back_off": 1, "busy": 0, "token": 1, "expired": 1, "sign": 1] {
            #expect(metrics.contains("fundmail_failed_logins_total{kind=\"\(kind)\"} \(count)\n"), "\(kind)")
        }
        try await harness.stop()
    }

    /// Labels cannot end their lines or quotes, whatever stands over or beside these.
    @Test
    func escapesLabels() {
        let family = MetricFamily("m", .gauge, "h", [.init(1, [("a", "\r\n\"\u{301}\\")])])
        #expect(family.text.hasSuffix("m{a=\"\r\\n\\\"\u{301}\\\\\"} 1\n"))
    }

    /// Who may ask for what of operations, and what it says.
    @Test
    func tellsOperatorsHowItIs() async throws {
        let harness = try await ServerHarness()
        #expect(try await harness.send("GET", "/healthz").status == 200)
        #expect(try await harness.send("GET", "/readyz").text == "ok\n")
        let metrics = try await harness.send("GET", "/metrics")
        #expect(
            metrics.text.contains("fundmail_http_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 1\n"))
        #expect(
            metrics.text.contains("fundmail_kept_messages{outcome=\"misrouted\",reason=\"no_tag\",state=\"open\"} 1\n"))
        let ann = try await harness.token(of: harness.people.ann)
        let root = try await harness.token(of: harness.people.root)
        #expect(try await harness.send("GET", "/metrics", token: ann).status == 403)
        #expect(try await harness.send("GET", "/metrics", token: root).status == 200)
        try await harness.stop()
        var options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        let behind = try await ServerHarness(options)
        #expect(try await behind.send("GET", "/metrics").status == 401)
        try await behind.stop()
    }
}
