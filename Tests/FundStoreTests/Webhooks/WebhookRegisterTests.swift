import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The messages that are made of feeds, and what becomes of them.
struct WebhookRegisterTests {
    @Test func tellsWhatChangesFromNowOnAndNothingElse() async throws {
        let harness = try await WebhookHarness()
        #expect(try await harness.next() == nil)
        let note = try await harness.addNote()
        let message = try await harness.due()
        #expect(message.delivery.event == .changed && message.delivery.changes == 1)
        #expect(message.body.contains(#""id":\#(note),"is_deleted":false,"path":"/api/v1/notes/\#(note)""#))
        #expect(!message.body.contains("secret words"))
        try await harness.note(message)
        #expect(try await harness.next(at: .now + .seconds(60)) == nil)
        try await harness.base.store.library.deleteNote(note, unlessChangedSince: nil, of: harness.ann)
        let gone = try await harness.due(at: .now + .seconds(60))
        #expect(gone.body.contains(#""id":\#(note),"is_deleted":true"#))
        #expect(gone.delivery.mark != message.delivery.mark)
    }

    /// Whatever another person does, in a fund of their own.
    @Test func tellsNothingOfOthers() async throws {
        let harness = try await WebhookHarness()
        let fund = try await harness.base.store.library.addFund("Hers", of: harness.bea.id)
        _ = try await harness.base.store.library.addNote(
            NoteText(title: "t", content: "c"), in: fund.id, of: harness.bea.id)
        #expect(try await harness.next() == nil)
    }

    @Test func tellsOnlyTheKindsThatWereChosen() async throws {
        let harness = try await WebhookHarness([.email])
        for number in 1...3 { try await harness.addNote("\(number)") }
        #expect(try await harness.next() == nil)
        try await harness.base.file("Subject: mail\n\nx")
        let message = try await harness.due(at: .now + .seconds(60))
        #expect(message.delivery.changes == 1 && message.body.contains(#""type":"email""#))
        #expect(!message.body.contains("note"))
    }

    /// One message at a time, each with a bounded number of changes, in the order of the feed.
    @Test func messagesAreBoundedAndInOrder() async throws {
        let harness = try await WebhookHarness()
        var notes: [NoteEntry.ID] = []
        for number in 0..<(WebhookLimits.maxChanges + 5) { notes.append(try await harness.addNote("\(number)")) }
        let first = try await harness.due()
        #expect(first.delivery.changes == WebhookLimits.maxChanges)
        #expect(first.body.contains(#""id":\#(notes[0]),"#) && !first.body.contains(#""id":\#(notes[100]),"#))
        // It waits for its end, however often one asks.
        #expect(try await harness.due().delivery.id == first.delivery.id)
        #expect(try await harness.webhooks.nextDelivery(besides: [harness.webhook.id], [], at: .now) == nil)
        #expect(try await harness.webhooks.nextDelivery(besides: [], [harness.ann], at: .now) == nil)
        try await harness.note(first)
        let second = try await harness.due(at: .now + .seconds(60))
        #expect(second.delivery.changes == 5 && second.body.contains(#""id":\#(notes[104]),"#))
    }

    /// A process that dies between the answer and the commit sends the same message again, though more has changed.
    @Test func theSameMessageGoesAgainAfterAKill() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let sent = try await harness.due()
        try await harness.addNote("another")
        try harness.base.reopen()
        let again = try await harness.due()
        #expect(again.delivery.mark == sent.delivery.mark && again.body == sent.body)
        try await harness.note(again)
        let next = try await harness.due(at: .now + .seconds(60))
        #expect(next.delivery.mark != sent.delivery.mark && next.delivery.changes == 1)
    }

    @Test func failuresAreTriedAgainByThePaceAndStopInTheEnd() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        var now = Timestamp.now
        var marks: Set<String> = []
        for attempt in 1...OutboxPace.maxAttempts {
            let message = try await harness.due(at: now)
            marks.insert(message.delivery.mark)
            let webhook = try #require(try await harness.note(message, 500, .status, at: now))
            #expect(webhook.failures == attempt && webhook.problem == .status)
            let pause = OutboxPace.pause(after: attempt)
            #expect(try await harness.next(at: now + pause - .seconds(1)) == nil)
            #expect(webhook.state == (attempt == OutboxPace.maxAttempts ? .stopped : .on))
            now = now + pause
        }
        #expect(marks.count == 1)
        #expect(try await harness.next(at: now) == nil)
        let figures = try await harness.webhooks.webhookFigures()
        #expect(figures == WebhookFigures(on: 0, failing: 0, stopped: 1, off: 0))
        #expect(try await harness.webhooks.failingWebhooks(atMost: 5).map(\.owner) == ["ann@example.com"])
        let audit = try await harness.base.store.administration.audit(AuditFilter(), PageQuery()).items
        #expect(audit.first { $0.action == "webhook.stop" }?.actor == "fundmail")
        // Its owner turns it on, and nothing was lost.
        let on = try await harness.webhooks.changeWebhook(
            harness.webhook.id, WebhookChange(isOn: true), of: harness.ann)
        #expect(on.state == .on && on.failures == 0 && on.problem == nil)
        #expect(try await marks.contains(harness.due().delivery.mark))
    }

    /// Many webhooks that failed at one moment are tried again at several, and none before its receiver wants it.
    @Test(arguments: [(0.9, nil, 54), (1.1, nil, 66), (0.9, 100, 100), (1.1, 100, 110), (1.1, 86_400, 86_400)])
    func pausesAreSpread(_ jitter: Double, _ asked: Int?, _ seconds: Int) async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let now = Timestamp.now
        let message = try await harness.due(at: now)
        let retryAfter = asked.map { Duration.seconds($0) }
        try await harness.note(message, 503, .status, retryAfter: retryAfter, jitter: jitter, at: now)
        #expect(try await harness.webhooks.nextAttempt(after: now) == now + .seconds(seconds))
    }

    @Test func aReceiverMayAskForALongerPause() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let now = Timestamp.now
        let message = try await harness.due(at: now)
        try await harness.note(message, 429, .status, retryAfter: .seconds(7200), at: now)
        #expect(try await harness.next(at: now + .seconds(7199)) == nil)
        #expect(try await harness.webhooks.nextAttempt(after: now) == now + .seconds(7200))
        let second = try await harness.due(at: now + .seconds(7200))
        try await harness.note(second, 503, .status, retryAfter: .seconds(10 * 86_400), at: now + .seconds(7200))
        _ = try await harness.due(at: now + .seconds(7200) + WebhookLimits.longestAsked)
    }

    @Test(arguments: [(410, WebhookProblem.gone), (0, .secret)])
    func someProblemsStopItAtOnce(_ status: Int, _ problem: WebhookProblem) async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let message = try await harness.due()
        #expect(try await harness.note(message, status, problem)?.state == .stopped)
        #expect(try await harness.next(at: .now + .seconds(90_000)) == nil)
        _ = try await harness.webhooks.renewSecret(of: harness.webhook.id, of: harness.ann)
        // A new secret helps where the secret was the problem.
        #expect(try await harness.now().state == (problem == .secret ? .on : .stopped))
    }

    @Test func disabledPeopleAreToldNothing() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let message = try await harness.due()
        let change = UserChange(isDisabled: true)
        _ = try await harness.base.store.administration.changeUser(
            harness.ann, change, if: nil, actor: "test")
        #expect(try await harness.next() == nil)
        #expect(try await harness.webhooks.webhookFigures() == WebhookFigures())
        // The attempt that was under way is noted all the same.
        #expect(try await harness.note(message) != nil)
    }

    @Test func pausedOnesAreToldLaterWhatChanged() async throws {
        let harness = try await WebhookHarness()
        _ = try await harness.webhooks.changeWebhook(
            harness.webhook.id, WebhookChange(isOn: false), of: harness.ann)
        try await harness.addNote()
        #expect(try await harness.next() == nil)
        _ = try await harness.webhooks.changeWebhook(harness.webhook.id, WebhookChange(isOn: true), of: harness.ann)
        #expect(try await harness.due().delivery.changes == 1)
    }

    /// A message to a webhook that was removed during the attempt.
    @Test func whatWasRemovedMeanwhileIsNoted() async throws {
        let harness = try await WebhookHarness()
        try await harness.addNote()
        let message = try await harness.due()
        try await harness.webhooks.removeWebhook(harness.webhook.id, of: harness.ann)
        #expect(try await harness.note(message) == nil)
    }

    /// A feed that does not go on where the last message ended, and a store that went on from an earlier state.
    @Test(arguments: [true, false])
    func aFeedThatWasCutIsReadAnew(isRepaired: Bool) async throws {
        let harness = try await WebhookHarness()
        try harness.base.store.connection.write("cut the feed") { db in
            if isRepaired {
                try ChangeEpochs.begin(db, refusingOlder: true)
            } else {
                try db.execute("UPDATE webhook SET history = history + 1")
            }
        }
        try await harness.addNote()
        let message = try await harness.due()
        #expect(message.delivery.event == .resync && message.delivery.changes == 0)
        try await harness.note(message)
        #expect(try await harness.next(at: .now + .seconds(60)) == nil)
        try await harness.addNote("more")
        #expect(try await harness.due(at: .now + .seconds(60)).delivery.event == .changed)
    }

    @Test func oneProcessDeliversAtATime() async throws {
        let harness = try await WebhookHarness()
        let lease = try #require(try await harness.webhooks.webhookLease())
        #expect(try await harness.webhooks.webhookLease() == nil)
        lease.end()
        try #require(try await harness.webhooks.webhookLease()).end()
    }
}
