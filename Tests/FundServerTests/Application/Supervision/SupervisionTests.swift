internal import Foundation
import FundCore
import FundHTTP
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Mailboxes, runs that are asked for, and the check-up, over HTTP.
struct SupervisionTests {
    private static let hostile = "</bdi><script>alert(1)</script>"

    /// A server whose mailboxes come to this run.
    private func harness(
        _ run: MailboxRun?, _ start: PollStart = .begun, tokens: [String: SeenToken] = [:],
        check: SampleCheck = SampleCheck()
    ) async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.mailboxes = { store in
            var mailboxes = SampleMailboxes(in: store)
            (mailboxes.mailboxes, mailboxes.start, mailboxes.run) = (["funds", "new"], start, run)
            mailboxes.tokens = tokens
            mailboxes.certificates["funds"] = SeenCertificate(expiresAt: .now + .seconds(86_400), seenAt: .now)
            return mailboxes
        }
        options.check = check
        return try await ServerHarness(options)
    }

    private func auditCount(_ action: String, _ harness: ServerHarness) async throws -> Int {
        var filter = AuditFilter()
        filter.action = action
        return try await harness.store.administration.audit(filter, PageQuery()).items.count
    }

    @Test
    func pollsAtOnceAndSaysWhatCame() async throws {
        var run = MailboxRun(startedAt: 1_700_000_000)
        run.outcomes = [.filed: 1, .misrouted: 1]
        let harness = try await harness(run)
        let root = try await BrowserSession(harness.people.root, harness)
        let answer = try await root.post("/office/mailboxes/funds/poll", "", harness)
        #expect(answer.status == 303 && answer["location"] == "/office/mailboxes?polled=funds")
        let page = try await root.get("/office/mailboxes?polled=funds", harness)
        #expect(page.text.contains("2 new messages: 1 filed, 1 kept for the desk."), "\(page.text)")
        #expect(page.text.contains("Never succeeded") && page.text.contains("1 visit: 1 filed"))
        // A moment later, also by another way.
        let again = try await root.post("/office/mailboxes/funds/poll", "", harness)
        #expect(again.status == 429 && again.text.contains("Wait ten seconds"))
        let token = try await harness.token(of: harness.people.root)
        let path = "/api/v1/admin/mailboxes/funds/poll"
        let refused = try await harness.send("POST", path, token: token)
        #expect(refused.status == 429 && (1...10).contains(Int(refused["retry-after"] ?? "") ?? 0))
        #expect(try await harness.send("POST", "/api/v1/admin/mailboxes/old/poll", token: token).status == 404)
        #expect(try await root.post("/office/mailboxes/old/poll", "", harness).status == 404)
        #expect(try await auditCount("mailbox.poll", harness) == 1)
        try await harness.stop()
    }

    @Test
    func saysWhyARunFailed() async throws {
        var run = MailboxRun(startedAt: 1_700_000_000)
        run.problem = "Mailbox funds: \(Self.hostile); check it."
        let harness = try await harness(run, .underWay)
        let token = try await harness.token(of: harness.people.root)
        let answer = try await harness.send("POST", "/api/v1/admin/mailboxes/funds/poll", token: token)
        #expect(answer.text.contains(#""status":"failed","was_under_way":true"#), "\(answer.text)")
        #expect(answer.text.contains(#""condition":"failing","configured":true"#))
        let root = try await BrowserSession(harness.people.root, harness)
        for language in ["en", "zh"] {
            let page = try await root.get(
                "/office/mailboxes?polled=funds", harness, fields: ["Accept-Language": language])
            #expect(page.status == 200 && !page.text.contains("<script>alert"))
            #expect(page.text.contains("&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;; check it."))
            #expect(page.text.contains(language == "en" ? "The last visit failed" : "最近一次收取失败"))
            #expect(page.text.contains(language == "en" ? "It was being collected already" : "当时已在收取"))
        }
        try await harness.stop()
    }

    /// Mailboxes that the configuration does not name any more cannot be polled.
    @Test
    func listsWhatIsConfiguredAndWhatWas() async throws {
        let harness = try await harness(nil)
        var run = MailboxRun(startedAt: .now)
        (run.waiting, run.oldestWaitingAt) = (3, .now - .seconds(7200))
        for name in ["funds", "old"] { try await harness.store.mail.note(run, of: name) }
        let token = try await harness.token(of: harness.people.root)
        let list = try await harness.send("GET", "/api/v1/admin/mailboxes", token: token)
        let conditions = list.text.matches(of: /"name":"(.*?)".*?"condition":"(.*?)"/).map { "\($0.1) \($0.2)" }
        #expect(conditions == ["funds ok", "new never_polled", "old not_configured"], "\(list.text)")
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.get("/office/mailboxes?polled=nowhere", harness)
        #expect(
            page.text.contains("3 messages wait there") && page.text.contains("Behind by <time")
                && page.text.contains("data-span>2 h</time>"))
        #expect(list.text.matches(of: /"certificate_expires_at":\d+,"certificate_seen_at":\d+/).count == 1)
        #expect(page.text.components(separatedBy: "<small class=\"warn\">Certificate good until").count == 2)
        #expect(page.text.contains("/office/mailboxes/new/poll") && !page.text.contains("/office/mailboxes/old/poll"))
        try await harness.stop()
    }

    @Test
    func saysSinceWhenItFails() async throws {
        let harness = try await harness(nil)
        for hours in [5, 3] {
            var run = MailboxRun(startedAt: .now - .seconds(hours * 3600))
            run.problem = "no answer"
            try await harness.store.mail.note(run, of: "funds")
        }
        let root = try await BrowserSession(harness.people.root, harness)
        for (language, words) in [
            ("en", "Failing for <time"), ("zh", "已故障 <time"), ("en", "The last 2 visits failed, the last one <time"),
            ("en", "It has never succeeded. Mail waits on its server and is not lost."),
            ("zh", "最近连续 2 次收取失败，最近一次在 <time"), ("en", "What went wrong: <bdi lang=\"en\">no answer</bdi>"),
        ] {
            let page = try await root.get("/office/mailboxes", harness, fields: ["Accept-Language": language])
            #expect(page.text.contains(words), "\(page.text)")
            #expect(
                page.text.contains(language == "en" ? "data-span>5 h</time></span>" : "data-span>5 小时</time></span>"))
            #expect(page.text.contains("lamp is-failure") && !page.text.contains("mark is-ok"), "\(page.text)")
        }
        let digest = try await root.get("/desk/digest", harness)
        #expect(digest.text.contains("· for <time") && digest.text.contains("data-span>5 h</time>"), "\(digest.text)")
        let token = try await harness.token(of: harness.people.root)
        let list = try await harness.send("GET", "/api/v1/admin/mailboxes", token: token)
        #expect(list.text.matches(of: /"consecutive_failures":2,"failing_since":\d+/).count == 1, "\(list.text)")
        try await harness.store.mail.note(MailboxRun(startedAt: .now), of: "funds")
        let mended = try await root.get("/office/mailboxes", harness)
        #expect(!mended.text.contains("for <time") && mended.text.contains("Resolved: what went wrong <time"))
        let good = try await harness.send("GET", "/api/v1/admin/mailboxes", token: token)
        #expect(good.text.matches(of: /"failing_since":null/).count == 2, "\(good.text)")
        try await harness.stop()
    }

    /// A token that a command renews may expire beside a connection that lasts.
    @Test(
        arguments: [
            (1_600_000_000, false, "good until <time", true), (1_600_000_000, true, "good until <time", false),
            (4_000_000_000, false, "Access token good until <time", false),
            (4_000_000_000, true, "2 Oct 2096 07:06 UTC</time>, renewed by itself (fetched: <time", false),
            (nil, true, "renewed by itself; it does not say until when", false),
            (nil, false, "</time>; it does not say until when it is good", false),
        ] as [(Timestamp?, Bool, String, Bool)])
    func saysUntilWhenATokenIsGood(expiry: Timestamp?, isRenewed: Bool, words: String, isWarned: Bool) async throws {
        let seen = SeenToken(expiresAt: expiry, fetchedAt: .now - .seconds(310), isRenewed: isRenewed)
        let harness = try await harness(nil, tokens: ["funds": seen])
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.get("/office/mailboxes", harness)
        #expect(page.text.contains(words) && page.text.contains("data-age>5 min ago</time>"), "\(page.text)")
        #expect(page.text.contains("class=\"warn\">Access token was") == isWarned, "\(page.text)")
        #expect(page.text.contains("renewed by itself") == isRenewed)
        let chinese = try await root.get("/office/mailboxes", harness, fields: ["Accept-Language": "zh"])
        #expect(chinese.text.contains("访问令牌") && !chinese.text.contains("ccess token"), "\(chinese.text)")
        let token = try await harness.token(of: harness.people.root)
        let list = try await harness.send("GET", "/api/v1/admin/mailboxes", token: token)
        let time = expiry.map { "\($0)" } ?? "null"
        let json = #""token":{"expires_at":\#(time),"fetched_at":\#(seen.fetchedAt),"is_renewed":\#(isRenewed)}"#
        #expect(list.text.contains(json) && list.text.contains(#""token":null"#), "\(list.text)")
        try await harness.stop()
    }

    @Test
    func saysThatARunGoesOn() async throws {
        let harness = try await harness(nil)
        let store = harness.store
        var mailboxes = SampleMailboxes(in: store)
        mailboxes.run = nil
        let service = MailboxService(
            register: store.mail, polling: mailboxes, audit: store.accounts,
            commits: store.library.commits, patience: .milliseconds(100))
        let poll = try await service.poll("funds", actor: "root")
        #expect(poll.outcome == nil)
        // Its outcome stays its own when further runs end.
        var run = MailboxRun(startedAt: .now)
        run.outcomes = [.filed: 2]
        for _ in 0..<2 {
            try await store.mail.note(run, of: "funds")
            #expect(try await service.lastPoll(of: "funds")?.outcome?.counts[.filed] == 2)
        }
        #expect(try await service.lastPoll(of: "other") == nil)
        try await harness.stop()
    }

    @Test
    func readingAsksNoMailServer() async throws {
        let bothAsk = Flag()
        let check = SampleCheck(
            [
                Finding(.ok, subject: .store, "here"), Finding(.warning, subject: .disk, Self.hostile),
                Finding(.failure, subject: .mailbox, mailbox: "funds", Self.hostile),
            ], until: { bothAsk.isRaised })
        let harness = try await harness(nil, check: check)
        let root = try await BrowserSession(harness.people.root, harness)
        let token = try await harness.token(of: harness.people.root)
        let before = try await root.get("/office/doctor", harness)
        #expect(before.text.contains("1 failure, 1 warning") && before.text.contains("were not asked"))
        #expect(!before.text.contains("<script>alert") && before.text.contains("alert(1)"))
        let unasked = try await harness.send("GET", "/api/v1/admin/doctor", token: token)
        #expect(unasked.text.contains(#""servers":{"checked_at":null,"checked_by":null,"findings":[]}"#))
        #expect(check.askedCount == 0)

        // Two administrators at once, and one right after them.
        async let first = root.post("/office/doctor", "", harness)
        async let second = harness.send("POST", "/api/v1/admin/doctor", token: token)
        try await eventually { harness.metrics.connections.requestsInFlight == 2 }
        bothAsk.raise()
        #expect(try await first.status == 303)
        #expect(try await second.text.contains(#""checked_by":"root@example.com""#))
        #expect(try await root.post("/office/doctor", "", harness).status == 303)
        #expect(check.askedCount == 1)
        #expect(try await auditCount("doctor.check", harness) == 1)
        let after = try await root.get("/office/doctor", harness)
        #expect(!after.text.contains("were not asked") && !after.text.contains("are being asked"))
        try await harness.stop()
    }
}
