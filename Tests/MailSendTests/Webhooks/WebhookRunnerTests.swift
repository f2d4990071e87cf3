import Foundation
import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import MailSend

/// The deliveries of a store, with receivers that are functions.
struct WebhookRunnerTests {
    private final class Harness: Sendable {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "webhooks"))"
        let store: FundStore
        let users: [User.ID]
        let funds: [Fund.ID]

        init() async throws {
            try TestFile.makeDirectory(folder)
            store = try FundStore.open(at: folder + "/store", mode: .create)
            var (users, funds): ([User.ID], [Fund.ID]) = ([], [])
            for name in ["ann", "bea"] {
                let user = try await store.administration.addUser(
                    email: "\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
                users.append(user.id)
                funds.append(try await store.library.addFund("Fund1", of: user.id).id)
            }
            (self.users, self.funds) = (users, funds)
        }

        deinit {
            try? store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        @discardableResult
        func addWebhook(_ name: String, of person: Int = 0) async throws -> Webhook {
            let address = try #require(WebhookAddress("https://hooks.example/\(name)"))
            return try await store.webhooks.addWebhook(NewWebhook(name: name, address: address), of: users[person]).0
        }

        func addNote(of person: Int = 0) async throws {
            _ = try await store.library.addNote(
                NoteText(title: "t", content: "c"), in: funds[person], of: users[person])
        }

        func runner(
            now: @escaping @Sendable () -> Timestamp = { .now },
            send: @escaping @Sendable (OutgoingDelivery) async throws -> WebhookAttempt
        ) -> WebhookRunner {
            WebhookRunner(
                store.webhooks, commits: store.library.commits, lettersAreOn: { true }, jitter: { 1 }, now: now,
                send: send)
        }
    }

    private final class Clock: Sendable {
        private let time = Mutex(Timestamp.now)
        var now: Timestamp { time.withLock { $0 } }
        func advance(by pause: Duration) { time.withLock { $0 = $0 + pause } }
    }

    private final class Sent: Sendable {
        private let list = Mutex<[OutgoingDelivery]>([])
        var all: [OutgoingDelivery] { list.withLock { $0 } }
        func add(_ delivery: OutgoingDelivery) { list.withLock { $0.append(delivery) } }
    }

    @Test func triesAgainByTheClockAndGoesOn() async throws {
        let harness = try await Harness()
        let (clock, sent, fails) = (Clock(), Sent(), Flag())
        try await harness.addWebhook("a")
        try await harness.addNote()
        let runner = harness.runner(now: { clock.now }) { delivery in
            sent.add(delivery)
            return fails.isRaised ? WebhookAttempt(status: 200) : WebhookAttempt(problem: .unreachable)
        }
        #expect(try await runner.deliverDue() == 1)
        #expect(try await runner.deliverDue() == 0)
        clock.advance(by: OutboxPace.pause(after: 1))
        #expect(try await runner.deliverDue() == 1)
        fails.raise()
        clock.advance(by: OutboxPace.pause(after: 2))
        try await harness.addNote()
        #expect(try await runner.deliverDue() == 1)
        #expect(Set(sent.all.map(\.delivery.mark)).count == 1 && Set(sent.all.map(\.body)).count == 1)
        clock.advance(by: WebhookLimits.messagePause)
        #expect(try await runner.deliverDue() == 1)
        #expect(Set(sent.all.map(\.delivery.mark)).count == 2)
    }

    /// A receiver that never answers holds up neither the webhooks of others nor another one of its owner.
    @Test func aSlowReceiverDelaysNoOther() async throws {
        let harness = try await Harness()
        let sent = Sent()
        for name in ["slow", "quick"] { try await harness.addWebhook(name) }
        try await harness.addWebhook("other", of: 1)
        let runner = harness.runner { delivery in
            sent.add(delivery)
            if delivery.webhook.name == "slow" { await untilCancelled() }
            try Task.checkCancellation()
            return WebhookAttempt(status: 200)
        }
        let running = Task { await runner.run() }
        try await harness.addNote()
        try await harness.addNote(of: 1)
        try await eventually { Set(sent.all.map(\.webhook.name)) == ["slow", "quick", "other"] }
        // Later changes go past it, too.
        let count = sent.all.count
        try await harness.addNote()
        try await harness.addNote(of: 1)
        try await eventually {
            Set(sent.all.dropFirst(count).map(\.webhook.name)).isSuperset(of: ["quick", "other"])
        }
        running.cancel()
        await running.value
        #expect(sent.all.filter { $0.webhook.name == "slow" }.count == 1)
        // It is pending, and goes with the next process under its id.
        let next = try #require(try await harness.store.webhooks.nextDelivery(besides: [], [], at: .now))
        #expect(next.delivery.mark == sent.all.first { $0.webhook.name == "slow" }?.delivery.mark)
    }

    @Test func anotherProcessTakesItsPlace() async throws {
        let harness = try await Harness()
        try await harness.addWebhook("a")
        let lease = try #require(try await harness.store.webhooks.webhookLease())
        let sent = Sent()
        let runner = harness.runner { delivery in
            sent.add(delivery)
            return WebhookAttempt(status: 200)
        }
        let running = Task { await runner.run() }
        try await harness.addNote()
        lease.end()
        // A commit is a reason to look again.
        try await harness.addNote()
        try await eventually { !sent.all.isEmpty }
        running.cancel()
        await running.value
    }
}
