import FundStore
import FundCore
internal import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Who is woken by a change, and who sleeps on.
@Suite(.timeLimit(.minutes(5))) struct ChangeNotifierTests {
    private struct Watched {
        let harness: ServerHarness
        let notifier: ChangeNotifier

        var store: FundStore { harness.store }

        /// - Parameter heartbeat: long enough not to come up by itself.
        init(heartbeat: Duration = .seconds(3600), maxStreams: Int = 1000) async throws {
            harness = try await ServerHarness()
            notifier = ChangeNotifier(
                library: harness.store.library, accounts: harness.store.accounts, news: harness.store.news,
                heartbeat: heartbeat,
                maxStreams: maxStreams)
        }

        func addNote(_ user: User, _ fund: Fund, in store: FundStore? = nil) async throws {
            _ = try await (store ?? self.store).library.addNote(
                NoteText(title: "t", content: "c"), in: fund.id, of: user.id)
        }

        /// Waits until the subscription is told of news.
        func news(_ subscription: StreamSubscription) async {
            while true {
                let known = subscription.count
                if subscription.takeNews() { return }
                await subscription.wait(after: known)
            }
        }

        /// Runs `body` when Ann's and Bea's subscriptions have heard of all that was.
        func subscribed(
            _ body: (_ ann: StreamSubscription, _ bea: StreamSubscription) async throws -> Void
        ) async throws {
            let people = harness.people
            try await notifier.subscribing(with: #require(notifier.permit(for: people.ann.id))) { ann in
                try await notifier.subscribing(with: #require(notifier.permit(for: people.bea.id))) { bea in
                    try await eventually { notifier.looks.load(ordering: .acquiring) > 0 }
                    _ = (ann.takeNews(), bea.takeNews())
                    try await body(ann, bea)
                }
            }
        }
    }

    @Test func wakesThoseWhomItConcerns() async throws {
        let watched = try await Watched()
        let people = watched.harness.people
        try await watched.subscribed { ann, bea in
            try await watched.addNote(people.ann, people.fund)
            await watched.news(ann)
            let known = ann.count
            for _ in 0..<10 {
                try await watched.addNote(people.bea, people.otherFund)
                await watched.news(bea)
            }
            #expect(ann.count == known && !ann.takeNews())
        }
        try await watched.harness.stop()
    }

    /// News of one wake the streams of those alone who have the feed.
    @Test func wakesForNews() async throws {
        let watched = try await Watched()
        let people = watched.harness.people
        try await watched.subscribed { ann, bea in
            let (known, other) = (ann.count, bea.count)
            _ = try await watched.store.news.addSample("https://news.example/feed", of: people.bea.id)
            await bea.wait(after: other)
            try await watched.addNote(people.ann, people.fund)
            await watched.news(ann)
            #expect(ann.count == known + 1 && !bea.takeNews())
        }
        try await watched.harness.stop()
    }

    /// The commits of other processes, as soon as they are made.
    @Test func hearsOfOtherProcesses() async throws {
        let watched = try await Watched()
        let people = watched.harness.people
        let other = try FundStore.open(at: watched.store.path, mode: .existing)
        try await watched.subscribed { _, bea in
            try await watched.addNote(people.bea, people.otherFund, in: other)
            await watched.news(bea)
        }
        try other.close()
        try await watched.harness.stop()
    }

    /// Their streams have to ask whether they may go on.
    @Test func wakesAllWhenAnAccountChanges() async throws {
        let watched = try await Watched()
        try await watched.subscribed { ann, _ in
            let known = ann.count
            try await watched.store.administration.setDisabled(true, user: watched.harness.people.ann.id, actor: "test")
            await ann.wait(after: known)
            #expect(ann.count > known && !ann.takeNews())
        }
        try await watched.harness.stop()
    }

    /// A thousand streams and nothing to say: the store is not looked at, and no stream runs.
    @Test func sleepsWhileNothingHappens() async throws {
        let watched = try await Watched()
        let (notifier, people) = (watched.notifier, watched.harness.people)
        let ready = Signal()
        let streams = (0..<1000).map { _ in
            Task {
                var rounds = 0
                try await notifier.subscribing(with: #require(notifier.permit(for: people.bea.id))) { subscription in
                    await watched.news(subscription)
                    ready.raise()
                    while !Task.isCancelled {
                        await subscription.wait(after: subscription.count)
                        rounds += 1
                    }
                }
                return rounds
            }
        }
        var count = 0
        while count < 1000 { count = try await ready.count(after: count) }
        try await notifier.subscribing(with: #require(notifier.permit(for: people.ann.id))) { ann in
            for _ in 0..<100 {
                await watched.news(ann)
                try await watched.addNote(people.ann, people.fund)
            }
        }
        // At the first look they are told once, and once more of the accounts; at the end they are cancelled.
        for stream in streams { stream.cancel() }
        for stream in streams { #expect(try await stream.value <= 3) }
        let looks = notifier.looks.load(ordering: .relaxed)
        #expect(looks <= 250, "one for each commit, and one for its announcement")
        try await watched.harness.stop()
    }

    /// The streams that are there go on, and one that ends makes room.
    @Test func servesFewStreamsOfAUser() async throws {
        let watched = try await Watched(maxStreams: 2)
        let (notifier, people) = (watched.notifier, watched.harness.people)
        let (first, second) = (notifier.permit(for: people.ann.id), notifier.permit(for: people.ann.id))
        #expect(first != nil && second != nil && notifier.permit(for: people.ann.id) == nil)
        #expect(notifier.permit(for: people.bea.id) != nil)
        try await notifier.subscribing(with: #require(first)) { _ in
            #expect(notifier.permit(for: people.ann.id) == nil)
        }
        withExtendedLifetime((first, second)) {}
        try await watched.harness.stop()
    }

    /// A place is free again when nothing holds it, whether a stream began or not.
    @Test func freesPlaces() async throws {
        let watched = try await Watched(maxStreams: 1)
        let (notifier, ann) = (watched.notifier, watched.harness.people.ann.id)
        for _ in 0..<3 {
            let permit = try #require(notifier.permit(for: ann))
            try await notifier.subscribing(with: permit) { _ in #expect(notifier.permit(for: ann) == nil) }
        }
        for _ in 0..<3 { #expect(notifier.permit(for: ann) != nil) }
        try await watched.harness.stop()
    }

    @Test func beatsForAll() async throws {
        let watched = try await Watched(heartbeat: .milliseconds(10))
        let permit = try #require(watched.notifier.permit(for: watched.harness.people.ann.id))
        try await watched.notifier.subscribing(with: permit) { ann in
            for _ in 0..<3 {
                while true {
                    let known = ann.count
                    if ann.takeHeartbeat() { break }
                    await ann.wait(after: known)
                }
            }
        }
        try await watched.harness.stop()
    }
}
