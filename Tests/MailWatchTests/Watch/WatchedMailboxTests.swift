import MailConnection
import FundCore
import Ingest
import MailFetch
import Synchronization
import TestSupport
import Testing

@testable import MailWatch

/// The loop of one mailbox, over a source that is in memory.
@Suite struct WatchedMailboxTests {
    @Test func temporaryErrorsMakeThePausesLongerAndEachNewTryConnectsAnew() async throws {
        let down = ConnectionError(.unreachable, during: "login")
        let watch = try Watch(errors: Array(repeating: down, count: 5))
        let running = watch.start()
        #expect(try await becomesTrue { watch.pauses.count >= 2 })
        #expect((0.9...1.1).contains(watch.pauses[0].seconds) && (1.8...2.2).contains(watch.pauses[1].seconds))
        #expect(watch.mailbox.calls.prefix(6) == ["open", "next", "close", "open", "next", "close"])
        watch.cancellation.cancel()
        try await running.value
        #expect(watch.runs.count >= 2)
    }

    /// The pause after a refused login is half a minute at least.
    @Test func aPauseEndsWithTheProgram() async throws {
        let watch = try Watch(errors: [ConnectionError(.loginRefused, during: "login")])
        let running = watch.start()
        #expect(try await becomesTrue { watch.runs.count == 1 && watch.mailbox.calls.count == 3 })
        let start = ContinuousClock.now
        watch.cancellation.cancel()
        try await running.value
        #expect(ContinuousClock.now - start < .seconds(25) && watch.runs.count == 1)
    }

    @Test func aDamagedStoreEndsTheLoop() async throws {
        let watch = try Watch(errors: [StoreError(.corrupted, "read", "a page is damaged")])
        let error = await #expect(throws: StoreError.self) { try await watch.start().value }
        #expect(error?.code == .corrupted)
    }

    @Test func idlingWaitsOnTheSameConnectionUntilTheServerAnnouncesMail() async throws {
        let watch = try Watch(canIdle: true, waits: [.newMail])
        let running = watch.start()
        #expect(try await becomesTrue { watch.mailbox.waits.count == 2 })
        // Listed all the same after five minutes: a connection can be dead without notice.
        #expect(watch.mailbox.waits.allSatisfy { $0 >= .seconds(300) })
        watch.cancellation.cancel()
        try await running.value
        #expect(watch.mailbox.calls == ["open", "next", "idle", "next", "idle", "close"])
        #expect(watch.pauses.isEmpty)
    }

    @Test func withoutIdleTheIntervalIsWaitedOnTheConnection() async throws {
        let watch = try Watch(waits: [.nothing])
        let running = watch.start()
        #expect(try await becomesTrue { watch.mailbox.waits.count == 2 })
        #expect(watch.mailbox.waits.allSatisfy { (54.0...66).contains($0.seconds) })
        watch.cancellation.cancel()
        try await running.value
        #expect(watch.mailbox.calls == ["open", "next", "wait", "next", "wait", "close"])
    }

    @Test func aLongIntervalIsWaitedWithoutAConnection() async throws {
        let watch = try Watch(intervalSeconds: 600)
        let running = watch.start()
        #expect(try await becomesTrue { watch.mailbox.calls == ["open", "next", "close"] })
        watch.cancellation.cancel()
        try await running.value
        #expect(watch.mailbox.waits.isEmpty && watch.runs.count == 1)
    }

    /// Whether it waits for mail or pauses after a failure; another loop takes its place.
    @Test(arguments: [true, false])
    func aWaitEndsWhenARunIsAskedFor(hasFailed: Bool) async throws {
        let errors = hasFailed ? [ConnectionError(.loginRefused, during: "login")] : []
        let watch = try Watch(errors: errors)
        let running = watch.start()
        #expect(try await becomesTrue { watch.runs.count == 1 && watch.mailbox.calls.count == 3 })
        let start = ContinuousClock.now
        #expect(watch.activity.endWait() == .begun)
        try await running.value
        #expect(ContinuousClock.now - start < .seconds(25) && watch.runs.count == 1)
    }

    @Test func aRunIsNotBrokenOff() {
        let activity = LoopActivity()
        #expect(activity.beginRun() && activity.endWait() == .underWay && !activity.cancellation.isCancelled)
        activity.endRun()
        #expect(activity.endWait() == .begun && activity.cancellation.isCancelled && !activity.beginRun())
    }

    /// The token that its last login used; a mailbox that logs in otherwise now shows none.
    @Test(.startsPrograms) func theTokenOfALoginIsKnown() async throws {
        let cancellation = Cancellation()
        let rules = PollingRules(routing: RoutingPolicy(trust: .vouched), limits: ParseLimits())
        var mailbox = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "imaps://ann@mail.example/INBOX"),
            credential: .oauth2(.command(#"echo '{"access_token":"a","expires_in":3600}'"#)), trust: .vouched)
        var parts = PollingParts(store: EmptyStore(), parser: NoParser(), rules: rules, cancellation: cancellation) {
            _ in Events()
        }
        parts.source = { access, surroundings in
            if case .oauth2(let token) = access.credentials { _ = try token(false) }
            return ScriptedMailbox(errors: [], canIdle: true, waits: [], until: surroundings.cancellation)
        }
        let watch = MailboxWatch(parts, [mailbox])
        let running = Task { try await watch.run() }
        #expect(try await becomesTrue { watch.tokens["funds"] != nil })
        let token = try #require(watch.tokens["funds"])
        #expect(token.isRenewed && token.expiresAt == token.fetchedAt + .seconds(3600))
        mailbox.credential = .password(Secret(value: "secret"))
        watch.update(rules, [mailbox])
        #expect(try await becomesTrue { watch.tokens.isEmpty })
        cancellation.cancel()
        try await running.value
    }

    @Test func aLostConnectionIsOpenedAgainAfterAPause() async throws {
        let watch = try Watch(canIdle: true, waits: [.lost])
        let running = watch.start()
        #expect(try await becomesTrue { watch.mailbox.waits.count == 2 })
        watch.cancellation.cancel()
        try await running.value
        #expect(watch.mailbox.calls == ["open", "next", "idle", "close", "open", "next", "idle", "close"])
        #expect(watch.pauses.isEmpty, "no failure of a run")
    }
}

/// A watched mailbox with what it told its observer.
private struct Watch {
    let cancellation = Cancellation()
    let mailbox: ScriptedMailbox
    private let events = Events()
    private let store = EmptyStore()
    private let watched: WatchedMailbox
    let activity: LoopActivity

    init(
        errors: [any Error] = [], canIdle: Bool = false, waits: [ScriptedMailbox.Wait] = [], intervalSeconds: Int = 60
    ) throws {
        let mailbox = ScriptedMailbox(errors: errors, canIdle: canIdle, waits: waits, until: cancellation)
        self.mailbox = mailbox
        var configuration = MailboxConfiguration(
            name: "funds", server: try MailServerAddress(url: "imaps://ann@mail.example/INBOX"),
            credential: .password(Secret(value: "secret")), trust: .vouched)
        configuration.intervalSeconds = intervalSeconds
        let rules = PollingRules(routing: RoutingPolicy(trust: .vouched), limits: ParseLimits())
        var parts = PollingParts(store: store, parser: NoParser(), rules: rules, cancellation: cancellation) {
            [events] _ in events
        }
        parts.source = { _, _ in mailbox.opened() }
        activity = LoopActivity(cancellation)
        watched = WatchedMailbox(configuration, parts, activity)
    }

    func start() -> Task<Void, any Error> { Task { [watched] in try await watched.run() } }

    /// Pauses after the failures so far.
    var pauses: [Duration] {
        events.all.compactMap { if case .failed(_, let pause, isTemporary: true) = $0 { pause } else { nil } }
    }

    /// Noted in the store.
    var runs: [MailboxRun] { store.runs }
}

/// An empty mailbox. Its runs fail as long as there are errors; its waits end as they are told, the others when they
/// are cancelled.
private final class ScriptedMailbox: MailboxSource {
    enum Wait { case newMail, nothing, lost }

    let canIdle: Bool
    private let cancellation: Cancellation
    private let state: Mutex<(errors: [any Error], ends: [Wait], calls: [String], waits: [Duration])>

    init(errors: [any Error], canIdle: Bool, waits: [Wait], until cancellation: Cancellation) {
        self.canIdle = canIdle
        self.cancellation = cancellation
        state = Mutex((errors, waits, [], []))
    }

    var calls: [String] { state.withLock { $0.calls } }
    var waits: [Duration] { state.withLock { $0.waits } }

    func opened() -> ScriptedMailbox {
        state.withLock { $0.calls.append("open") }
        return self
    }

    func next(atMost count: Int) throws -> [PendingMessage] {
        let error = state.withLock { state in
            state.calls.append("next")
            return state.errors.isEmpty ? nil : state.errors.removeFirst()
        }
        if let error { throw error }
        return []
    }

    func acknowledge(_ messages: [StoredMessage]) {}
    func finish() {}

    func waitForMail(atMost time: Duration, idling: Bool) async throws -> MailboxWait {
        let end = state.withLock { state in
            state.calls.append(idling ? "idle" : "wait")
            state.waits.append(time)
            return state.ends.isEmpty ? nil : state.ends.removeFirst()
        }
        switch end {
        case .newMail: return .newMail
        case .nothing: return .nothing
        case .lost: throw ConnectionError(.connectionLost, during: "wait")
        case nil:
            await cancellation.pause(for: time)
            return .cancelled
        }
    }

    func waitingMail() -> WaitingMail? { nil }
    func close() { state.withLock { $0.calls.append("close") } }
}

private final class Events: MailboxObserver {
    private let events = Mutex<[MailboxEvent]>([])

    var all: [MailboxEvent] { events.withLock { $0 } }

    func observe(_ event: MailboxEvent) { events.withLock { $0.append(event) } }
    func problem(of result: MailboxResult) -> String? { nil }
}

private struct NoParser: MessageParser {
    let concurrency = 1

    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result { throw CancellationError() }
}

private struct NoLease: MailboxLease {
    func end() {}
}

/// Takes no message; notes the runs.
private final class EmptyStore: DeliveryLedger, IngestStore, MailboxRegister {
    let spool = SpoolDirectory(path: "/nonexistent")
    private let noted = Mutex<[MailboxRun]>([])

    var runs: [MailboxRun] { noted.withLock { $0 } }

    func deliveredPlaces(in mailbox: String) -> [DeliveredPlace] { [] }
    func noteDeparted(_ places: [String], in mailbox: String) {}
    func lease(_ name: String, to holder: String) -> any MailboxLease { NoLease() }
    func openMailbox(_ name: String, at address: String) -> Bool { false }
    func note(_ run: MailboxRun, of mailbox: String) { noted.withLock { $0.append(run) } }
    func mailboxStates() -> [MailboxState] { [] }
    func attempt(ofReturnPath address: String) -> OutboxAttempt? { nil }

    func directory() -> RoutingDirectory { RoutingDirectory(users: [], addresses: [], funds: []) }
    func stage(
        _ message: RoutedMessage, readAttachment: (Int, (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage { throw StoreError(.invalid, "stage a message", "there is none") }
    func commit(_ batch: [StagedMessage]) -> [StoredMessage] { [] }
    func abandon(_ batch: [StagedMessage]) {}
}
