import FundCore
import FundStore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// The relay over a real store and a scripted server.
@Suite struct OutboxRelayTests {
    @Test func lettersGoOutOnOneConnection() async throws {
        let harness = try RelayHarness("ann@example.com", "bob@example.com")
        let server = try SMTPScript().start()
        defer { server.stop() }
        let relay = harness.relay(server.port)
        try await harness.running(relay) {
            try await eventually { try await harness.states == [.sent, .sent] }
            #expect(relay.status.condition == .ready && relay.status.results == [.sent: 2])
            // One that is queued meanwhile.
            try harness.queue(["eve@example.com"])
            try await eventually { try await harness.states == [.sent, .sent, .sent] }
        }
        let letter = try await harness.letter(1)
        #expect(letter.note == "250 2.0.0 Ok: queued as 1" && letter.attempts == 1 && letter.dueAt == nil)
        #expect(await server.waitUntilIdle())
        let lines = server.lines
        #expect(server.connections == 1 && lines.last == "QUIT")
        #expect(lines.count { $0.hasPrefix("MAIL FROM:<> ") } == 3)
        let recipients = ["ann", "bob", "eve"].map { "RCPT TO:<\($0)@example.com>" }
        #expect(lines.filter { $0.hasPrefix("RCPT") } == recipients)
        #expect(lines.contains("Message-ID: <\(letter.mark)@corp.example>"))
        #expect(lines.contains("Auto-Submitted: auto-replied"))
        #expect(relay.status.condition == .off)
    }

    private static let verbs = ["MAIL", "RCPT", "DATA", "end"]

    /// Each class of replies at each verb. A reply by which the server takes nothing at all, or nothing from this
    /// sender, is none to the letter; one that may be about the recipient, too, has the letter tried again.
    @Test(
        arguments: verbs,
        [
            ("421 4.3.2 going down", OutboxLetter.State.deferred), ("450 4.2.0 greylisted", .deferred),
            ("550 5.1.1 no", .failed), ("550 5.1.8 bad sender", .failed), ("552 5.3.4 too big", .failed),
            ("530 5.7.0 log in", .queued),
        ])
    func replies(_ verb: String, _ expected: (String, OutboxLetter.State)) async throws {
        let reply = expected.0
        let isHeldBack = reply.contains("5.1.8") && ["RCPT", "DATA"].contains(verb)
        let isOfSender = reply.hasPrefix("550") && verb == "MAIL"
        let state = isHeldBack ? .deferred : isOfSender ? .queued : expected.1
        let harness = try RelayHarness("ann@example.com")
        var script = SMTPScript()
        if verb == "end" { script.end = ["S: \(reply)"] } else { script.replies[verb] = [reply] }
        let server = try script.start()
        defer { server.stop() }
        let left = await harness.sendDue(server.port)
        let letter = try await harness.letter(1)
        #expect(letter.state == state && letter.note?.contains(reply) == true, "\(letter)")
        #expect(letter.attempts == (state == .queued ? 0 : 1))
        if letter.state == .deferred {
            let due = try #require(letter.dueAt)
            #expect((55...65).contains((due - letter.queuedAt).components.seconds))
        }
        let isOfServer = reply.hasPrefix("421") || isHeldBack || state == .queued
        #expect((left != nil) == isOfServer, "\(left ?? "")")
    }

    @Test(arguments: [["CUT"], ["RESET"], ["S: hello"], ["S: 354 more"]])
    func anUncertainLetterStopsTheOthers(_ end: [String]) async throws {
        let harness = try RelayHarness("ann@example.com", "bob@example.com")
        var script = SMTPScript()
        script.end = end
        let server = try script.start()
        defer { server.stop() }
        #expect(await harness.sendDue(server.port) != nil)
        #expect(try await harness.states == [.uncertain, .queued] && server.connections == 1)
    }

    /// The line breaks at every third byte. The store says what the server has, or that this is not known.
    @Test(arguments: SMTPCutTests.Side.allCases)
    func theLineBreaks(_ side: SMTPCutTests.Side) async throws {
        let harness = try RelayHarness()
        let server = try SMTPScript().start()
        defer { server.stop() }
        var counts: [OutboxLetter.State: Int] = [:]
        for number in 1... {
            try harness.queue(["ann@example.com"])
            var rules = MeddlingProxy.Rules()
            if side == .client {
                rules.cutAfterClientBytes = number * 3
            } else {
                rules.cutAfterServerBytes = number * 3
            }
            let proxy = try MeddlingProxy(to: server.port, rules: rules)
            defer { proxy.stop() }
            let before = server.connections
            await harness.sendDue(proxy.port)
            #expect(await server.waitUntilIdle())
            let lines = server.record.lines.dropFirst(before).flatMap(\.self)
            let letter = try await harness.letter(number)
            counts[letter.state, default: 0] += 1
            switch letter.state {
            case .sent: #expect(lines.contains("."), "\(number): \(lines)")
            case .uncertain: #expect(lines.contains("DATA"), "\(number): \(lines)")
            case .queued, .deferred:
                #expect(!lines.contains("."), "\(number): \(lines)")
                // A connection that could not be made was no attempt.
                #expect(letter.note != nil && letter.attempts == (letter.state == .queued ? 0 : 1), "\(letter)")
            default: #expect(Bool(false), "\(number): \(letter)")
            }
            if letter.state.waits {
                try StoreSnapshot.execute(
                    "UPDATE outbox SET state = 'dropped', due_at = NULL WHERE due_at IS NOT NULL",
                    in: "\(harness.folder)/store")
            }
            if proxy.traffic.first?.isCut != true { break }
        }
        #expect(counts[.sent, default: 0] >= 1 && counts[.queued, default: 0] > 4, "\(counts)")
        #expect(counts[.deferred, default: 0] > 9 && counts[.uncertain, default: 0] >= 1, "\(counts)")
    }

    /// Letters that cannot be written, or are too large, hold up no other.
    @Test func aPoisonedLetterIsPassedOver() async throws {
        struct Unreadable: Error {}
        let harness = try RelayHarness(
            "a@example.com", "b@example.com", "c@example.com", "d@example.com", "安@example.com", "f@example.com")
        let server = try SMTPScript().start()
        defer { server.stop() }
        let composer = PlainLetters { letter in
            switch letter.id.rawValue {
            case 1: throw MessageError(.control, in: "Subject")
            case 2: throw Unreadable()
            case 3: return nil
            case 4: return String(repeating: "A line of a long letter.\n", count: 50_000)
            default: return "Short.\n"
            }
        }
        #expect(await harness.sendDue(server.port, composer: composer) == nil)
        #expect(try await harness.states == [.failed, .deferred, .dropped, .failed, .failed, .sent])
        #expect(try await harness.letter(1).note?.contains("Subject holds a line end") == true)
        #expect(try await harness.letter(4).note?.contains("at most 1000000") == true)
        #expect(server.connections == 1)
    }

    /// A server that ends a connection after a letter: the next goes on another, and that was no attempt.
    @Test(arguments: [["S: 421 4.7.0 too many letters", "CUT"], ["CUT"]])
    func aConnectionThatGotOld(_ end: [String]) async throws {
        let harness = try RelayHarness("a@example.com", "b@example.com", "c@example.com")
        var script = SMTPScript()
        script.others = ["ONCE RCPT TO:<b@*"] + end + ["END"]
        let server = try script.start()
        defer { server.stop() }
        #expect(await harness.sendDue(server.port) == nil)
        #expect(try await harness.states == [.sent, .sent, .sent])
        #expect(try await harness.letter(2).attempts == 1 && server.connections == 2)
    }

    /// A letter at which the server hangs up each time counts as tried, and the next goes out.
    @Test func aLetterAtWhichTheServerHangsUp() async throws {
        let harness = try RelayHarness("a@example.com", "b@example.com", "c@example.com")
        var script = SMTPScript()
        script.others = ["ON RCPT TO:<b@*", "CUT", "END"]
        let server = try script.start()
        defer { server.stop() }
        try await harness.running(harness.relay(server.port)) {
            try await eventually { try await harness.states == [.sent, .deferred, .sent] }
        }
        #expect(try await harness.letter(2).attempts == 1)
    }

    /// A server that is down: the letter says why it waits, the relay pauses, and another route is tried at once.
    @Test func aPauseEndsWithAnotherRoute() async throws {
        let harness = try RelayHarness("ann@example.com")
        let held = try HeldPort()
        let server = try SMTPScript().start()
        defer { server.stop() }
        let relay = harness.relay(nil)
        try await harness.running(relay) {
            relay.update(harness.route(held.number))
            try await eventually { relay.status.problem?.contains("unreachable") == true }
            let letter = try await harness.letter(1)
            #expect(letter.state == .queued && letter.attempts == 0 && letter.note?.contains("unreachable") == true)
            relay.update(harness.route(server.port))
            try await eventually { try await harness.states == [.sent] }
            #expect(relay.status.problem == nil)
            // Without a route letters wait.
            relay.update(nil)
            try await eventually { relay.status.condition == .off }
            try harness.queue(["bob@example.com"])
            relay.update(harness.route(server.port))
            try await eventually { try await harness.states == [.sent, .sent] }
        }
        let pauses = harness.events.compactMap { event in
            if case .paused(_, _, let isKnown) = event { isKnown } else { nil }
        }
        #expect(pauses.first == false && pauses.dropFirst().allSatisfy { $0 })
    }

    @Test func onlyOneProcessIsTheRelay() async throws {
        let harness = try RelayHarness("ann@example.com")
        let server = try SMTPScript().start()
        defer { server.stop() }
        let lease = try #require(try await harness.store.outbox.relayLease())
        let relay = harness.relay(server.port)
        try await harness.running(relay) {
            try await eventually { relay.status.condition == .standby }
            #expect(await harness.sendDue(server.port) == nil && server.connections == 0)
            lease.end()
            harness.store.library.commits.raise()
            try await eventually { try await harness.states == [.sent] }
        }
    }

    /// The relay is told to end while the server thinks: before the letter it was no attempt; after it a reply is
    /// waited for, and without one it is not known.
    @Test(arguments: [("MAIL", OutboxLetter.State.queued), ("end", .uncertain)])
    func itEndsUnderWay(_ verb: String, _ expected: OutboxLetter.State) async throws {
        let harness = try RelayHarness("ann@example.com")
        var script = SMTPScript()
        if verb == "end" { script.end = ["SILENCE"] } else { script.others = ["ON MAIL *", "SILENCE", "END"] }
        let server = try script.start()
        defer { server.stop() }
        try await harness.running(harness.relay(server.port), lastWait: .milliseconds(200)) {
            try await eventually { server.lines.contains { $0 == "." || (verb == "MAIL" && $0.hasPrefix("MAIL")) } }
        }
        server.stop()
        if verb == "end" { try await eventually { try await harness.letter(1).state != .sending } }
        let letter = try await harness.letter(1)
        #expect(letter.state == expected && letter.attempts == (expected == .queued ? 0 : 1), "\(letter)")
    }

    /// The relay is told to end while the server refuses to look at a letter: that was no attempt.
    @Test func itEndsAtARefusal() async throws {
        let harness = try RelayHarness("ann@example.com")
        var script = SMTPScript()
        script.replies["MAIL"] = ["530 5.7.0 log in"]
        let server = try script.start()
        defer { server.stop() }
        let cancellation = Cancellation()
        let relay = harness.relay(server.port) { access in
            access.transcript = Transcript { line in if line.hasPrefix("S: 530") { cancellation.cancel() } }
        }
        #expect(await relay.runOnce(atMost: .seconds(60), until: cancellation) == nil)
        let letter = try await harness.letter(1)
        #expect(letter.state == .queued && letter.attempts == 0 && letter.note?.contains("530") == true, "\(letter)")
    }

    /// A sender that the server refuses costs no letter, and all go out by a route with another one.
    @Test func aRefusedSenderPausesTheRelay() async throws {
        let harness = try RelayHarness("ann@example.com", "bob@example.com")
        var script = SMTPScript()
        script.replies["MAIL"] = ["553 5.7.1 Sender address rejected: not owned by user ann"]
        let (refusing, server) = (try script.start(), try SMTPScript().start())
        defer { for server in [refusing, server] { server.stop() } }
        let relay = harness.relay(refusing.port)
        try await harness.running(relay) {
            try await eventually { relay.status.problem?.contains("not owned by user") == true }
            try await eventually { try await harness.letter(1).note?.contains("sender_refused") == true }
            #expect(try await harness.states == [.queued, .queued] && relay.status.results == [:])
            #expect(try await harness.letter(1).attempts == 0)
            relay.update(harness.route(server.port))
            try await eventually { try await harness.states == [.sent, .sent] }
        }
    }

    /// A person's letter has a return path, an automatic one has none.
    @Test func returnPaths() async throws {
        struct Written: LetterComposer {
            func compose(_ letter: OutboxLetter, from sender: Correspondent) async throws -> ComposedLetter {
                let to = [Correspondent(address: try OutgoingAddress(letter.recipient))]
                return .written(
                    OutgoingMessage(from: sender, to: to, subject: "Hello", text: "Hello\n"),
                    LetterEnvelope(
                        returnPath: try OutgoingAddress("funds+b.1.00@corp.example"), recipient: to[0].address))
            }
        }
        let harness = try RelayHarness("ann@example.com")
        let server = try SMTPScript().start()
        defer { server.stop() }
        #expect(await harness.sendDue(server.port, composer: Written()) == nil)
        #expect(server.lines.contains { $0.hasPrefix("MAIL FROM:<funds+b.1.00@corp.example>") })
    }
}
