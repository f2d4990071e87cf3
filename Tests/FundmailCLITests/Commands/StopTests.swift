import Foundation
import TestSupport
import Testing

/// SIGTERM and SIGINT during a poll: waits end at once, what was begun is finished, the next run completes.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct StopTests {
    @Test(arguments: [SIGTERM, SIGINT])
    func endsInTheMiddle(_ signal: Int32) async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore()
        defer { store.remove() }
        let user = "stop-\(signal)"
        let mail = CrashMail.messages(40, fileBytes: 20_000)
        for message in mail { try server.deliver(message.wireBytes, to: user) }
        // Half of it comes, and then nothing more.
        var rules = MeddlingProxy.Rules()
        rules.stallAfterServerBytes = mail.reduce(0) { $0 + $1.wireBytes.count } / 2
        let proxy = try MeddlingProxy(to: server.ports.imaps, rules: rules)
        defer { proxy.stop() }
        try store.configure(MailboxSettings("funds", url: "imaps://\(user)@localhost:\(proxy.port)"))
        let running = try store.program.start(store.arguments(["poll", "--json"]))
        defer { running.kill() }
        #expect(try await becomesTrue { proxy.traffic.first?.isCut ?? false })
        let sent = ContinuousClock.now
        running.signal(signal)
        let done = try await running.wait()
        #expect(done.status == 128 + signal && !done.wasKilled, "\(done)")
        // A server that stalls gets a minute otherwise.
        #expect(done.endedAt - sent < .seconds(40))
        let first = try MessageLine.read(done.output).summary
        #expect(first.seen > 0 && first.seen < mail.count, "\(first)")
        try store.configure(MailboxSettings("funds", at: server, user: user))
        let second = try await store.run("poll", "--json")
        #expect(second.isSuccess, "\(second)")
        #expect(try server.mail(of: user).isEmpty)
        let filed = mail.count { $0.outcome == "filed" }
        #expect(try StoreSnapshot.rowCount(of: "email", in: store.store) == filed, "each once")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// A server that says nothing at all holds up neither another mailbox nor the end.
    @Test func hangingServerHoldsUpNobody() async throws {
        let server = try DovecotServer.shared.get()
        let silent = try LoopbackServer { _, socket in while !LoopbackSocket.receive(socket).isEmpty {} }
        defer { silent.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try server.deliver(CrashMail.messages(1)[0].wireBytes, to: "stop-beside")
        try store.configure(
            MailboxSettings("silent", url: "imaps://u@localhost:\(silent.port)"),
            MailboxSettings("good", at: server, user: "stop-beside"))
        let running = try store.program.start(store.arguments(["poll"]))
        defer { running.kill() }
        #expect(try await becomesTrue { try server.mail(of: "stop-beside").isEmpty })
        // The end of its terminal ends no wait: of two signals, the one with the smaller number comes first
        // (signal(7)).
        running.signal(SIGHUP)
        let sent = ContinuousClock.now
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.status == 143 && done.output.contains("Interrupted"), "\(done)")
        #expect(done.endedAt - sent < .seconds(15))
    }

    /// The first signal waits for the message under way, the second does not; one that comes twice is one.
    @Test func secondSignalEndsAtOnce() async throws {
        let server = try DovecotServer.shared.get()
        let store = try await ReplayStore().with(["FUNDMAIL_POISON": "1"])
        defer { store.remove() }
        // Each takes the parser 10 s, one after the other.
        for number in 0..<16 {
            let head = "From: ann@example.com\r\nSubject: [Fund1] x\r\nX-Fundmail-Poison: hang\r\n"
            try server.deliver(Array("\(head)Message-ID: <\(number)@x>\r\n\r\nHello.\r\n".utf8), to: "stop-twice")
        }
        try store.configure(MailboxSettings("funds", at: server, user: "stop-twice"))
        let running = try store.program.start(store.arguments(["poll", "--json"]))
        defer { running.kill() }
        #expect(try await becomesTrue { running.hasSleepingChild }, "a parser has a message")
        running.signal(SIGTERM)
        running.signal(SIGTERM)
        #expect(try await becomesTrue { running.errorsSoFar.contains("once more to stop at once") })
        // The time of another process: within half a second after the first two signals are one.
        try await Task.sleep(for: .milliseconds(600))
        #expect(running.isRunning)
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.status == 143 && !done.output.contains("summary"), "no time for a summary: \(done)")
        let verified = try await store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }

    /// A command that fetches a token ends with the run, and so does what it started.
    @Test func tokenCommandIsEndedToo() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        var settings = try MailboxSettings("funds", at: DovecotServer.shared.get(), user: "stop-token")
        settings.login = "oauth2: {token_command: 'sleep 1000 & echo $! > pid; wait'}"
        try store.configure(settings)
        let running = try store.program.start(store.arguments(["poll", "--json"]))
        defer { running.kill() }
        let pid = {
            (try? TestFile.read("\(store.folder)/pid")).flatMap {
                pid_t(String(decoding: $0, as: UTF8.self).filter(\.isNumber))
            }
        }
        #expect(try await becomesTrue { pid() != nil })
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.status == 143 && done.seconds < 25, "before its own deadline: \(done)")
        let sleeping = try #require(pid())
        #expect(try await ProcessEnd.wait(for: sleeping), "what it started lives on")
    }
}
