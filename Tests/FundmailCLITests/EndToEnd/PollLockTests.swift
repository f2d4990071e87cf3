import Foundation
import TestSupport
import Testing

/// Polls that overlap: one works, the other waits or names who has the mailbox.
@Suite(.startsPrograms, .serialized, .enabled(if: DovecotServer.isUsable)) struct PollLockTests {
    @Test func theSecondPollNamesTheFirst() async throws {
        let silent = try LoopbackServer { _, socket in
            while !LoopbackSocket.receive(socket).isEmpty {}
        }
        defer { silent.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(MailboxSettings("funds", url: "imap://ann@localhost:\(silent.port)"))
        try store.write(CrashMail.messages(3))
        do {
            // The first gives up after 30 s, which on a loaded machine is not always enough for the second.
            for attempt in 1... {
                let accepted = silent.accepted
                let first = try store.program.start(store.arguments(["poll"]))
                defer { first.kill() }
                #expect(try await becomesTrue { silent.accepted > accepted || !first.isRunning })
                let second = try await store.program.run(store.arguments(["poll"]))
                if !first.isRunning, attempt < 5 { continue }
                try #require(first.isRunning, "\(first.errorsSoFar)")
                #expect(second.status == 75, "\(second)")
                #expect(second.errors.contains("`fundmail poll` (process \(first.identifier))"), "\(second.errors)")
                // The store is free for all else.
                let replayed = try await store.run("replay", "mail")
                #expect(replayed.isSuccess && first.isRunning, "\(replayed)")
                first.kill()
                #expect(try await first.wait().wasKilled)
                break
            }
        }
    }

    @Test func startedAtTheSameMoment() async throws {
        let empty = try await ReplayStore()
        defer { empty.remove() }
        let harness = try PollHarness(.imaps, mail: [], empty: empty)
        defer { harness.remove() }
        let mail = CrashMail.messages(100).filter { $0.outcome != "duplicate" }
        var seen: [String: Int] = [:]
        for round in 0..<10 {
            for message in mail[(round * 10)..<(round * 10 + 10)] {
                try harness.server.deliver(message.wireBytes, to: harness.user)
            }
            async let one = harness.poll()
            async let other = harness.poll()
            let both = try await [one, other]
            #expect(both.contains { $0.isSuccess }, "\(both)")
            for done in both where !done.isSuccess {
                #expect(done.status == 75 && done.errors.contains("`fundmail poll` (process"), "\(done)")
            }
            for done in both where done.isSuccess {
                for line in try MessageLine.read(done.output).lines { seen[line.line.outcome, default: 0] += 1 }
            }
            #expect(try harness.waiting == 0)
        }
        #expect(seen == Dictionary(mail.map { ($0.outcome, 1) }, uniquingKeysWith: +))
        #expect(try StoreSnapshot.rowCount(of: "delivery", in: harness.store.store) == mail.count)
        let verified = try await harness.store.run("verify")
        #expect(verified.isSuccess, "\(verified)")
    }
}
