import ChildProcesses
import TestSupport
import Foundation
import FundCore
import Synchronization
import Testing

@testable import MailParse

/// A message that harms its child costs itself, and nothing else.
@Suite(.startsPrograms) struct PoolTests {
    static let good = "From: ann@example.com\nSubject: [Fund1] x\n\nhello\n"

    private static func status(of process: pid_t) throws -> String {
        try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    }

    @Test(arguments: [
        ("crash", "the parser crashed: Segmentation fault"), ("hang", "the parser was stopped after 1 s"),
        ("spin", "the parser was stopped after 1 s"), ("exit", "the parser ended by itself with status 3"),
        ("memory", "the parser crashed: Aborted: parse-worker: out of memory"),
        ("garbage", "the parser broke the protocol"),
    ])
    func poisonCostsOneMessage(kind: String, detail: String) async throws {
        let fixture = try PoolHarness(debug: .poison, maxSeconds: ["hang", "spin"].contains(kind) ? 1 : 300)
        let before = try await fixture.parse(Self.good)
        #expect(before.message?.header.subject == "[Fund1] x")
        let poisoned = try await fixture.parse("X-Fundmail-Poison: \(kind)\n" + Self.good)
        #expect(poisoned.refusal?.reason == .unparseable)
        #expect(poisoned.refusal?.detail.hasPrefix(detail) == true, "\(poisoned.result)")
        // Another child has read its header, and no more.
        #expect(poisoned.result.header?.subject == "[Fund1] x")
        #expect(poisoned.result.header?.from.first?.addresses.first?.address == "ann@example.com")
        let after = try await fixture.parse(Self.good)
        #expect(after.message?.header.subject == "[Fund1] x")
        #expect(fixture.pool.restartCount == 1)
    }

    /// A child that is frozen until its time is up has not read the message: another one does.
    @Test func aFrozenChildCostsNothing() async throws {
        // Long enough for the second look at the processor time, and for a new child on a busy machine.
        let fixture = try PoolHarness(maxSeconds: 4)
        // One that is stopped while it starts is replaced before it has a message.
        _ = try await fixture.parse(Self.good)
        let pid = try #require(await fixture.pool.childIdentifiers().first)
        kill(pid, SIGSTOP)
        // Until the thread that got the signal runs, the others go on, and answer.
        while try !Self.status(of: pid).contains("State:\tT") { await Task.yield() }
        let parsed = try await fixture.parse(Self.good)
        #expect(parsed.message?.header.subject == "[Fund1] x", "\(parsed.result)")
        #expect(fixture.pool.restartCount == 1)
    }

    /// One that hangs by itself is not tried for ever.
    @Test func aMessageIsTriedTwice() async throws {
        let fixture = try PoolHarness(debug: .poison, maxSeconds: 3)
        let poisoned = try await fixture.parse("X-Fundmail-Poison: hang\n" + Self.good)
        #expect(poisoned.refusal?.detail == "the parser was stopped after 3 s")
        #expect(fixture.pool.restartCount == 2)
    }

    @Test func poisonIsIgnoredWithoutTheDebugMark() async throws {
        let fixture = try PoolHarness()
        let parsed = try await fixture.parse("X-Fundmail-Poison: crash\n" + Self.good)
        #expect(parsed.message != nil)
    }

    /// A message that no child has seen is tried again.
    @Test func aChildThatDiedBetweenMessagesCostsNothing() async throws {
        let fixture = try PoolHarness()
        #expect(try await fixture.parse(Self.good).message != nil)
        let pid = try #require(await fixture.pool.childIdentifiers().first)
        kill(pid, SIGKILL)
        // Until it is dead, leaving it to the pool to reap it.
        var ended = siginfo_t()
        #expect(waitid(P_PID, id_t(pid), &ended, WEXITED | WNOWAIT) == 0)
        #expect(try await fixture.parse(Self.good).message != nil)
        #expect(fixture.pool.restartCount == 1)
    }

    /// The children that were started ahead parse.
    @Test func warmUpStartsTheChildren() async throws {
        let fixture = try PoolHarness(concurrency: 2)
        #expect(await fixture.pool.childIdentifiers().isEmpty)
        fixture.pool.warmUp()
        let started = await fixture.pool.childIdentifiers()
        #expect(started.count == 2)
        fixture.pool.warmUp()
        #expect(try await fixture.parse(Self.good).message != nil)
        #expect(Set(await fixture.pool.childIdentifiers()) == Set(started) && fixture.pool.restartCount == 0)
    }

    @Test func eightMessagesShareTwoWorkers() async throws {
        let fixture = try PoolHarness(concurrency: 2)
        let subjects = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<8 {
                group.addTask { try await fixture.parse("Subject: \(number)\n\nx\n").message?.header.subject }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(subjects == Set((0..<8).map { "\($0)" }))
        #expect(await fixture.pool.childIdentifiers().count <= 2)
    }

    @Test func aWaiterThatIsCancelledLeavesTheQueue() async throws {
        let fixture = try PoolHarness()
        let (isHeld, mayGo) = (Flag(), Gate())
        let holder = Task {
            try await fixture.pool.withWorker { _ in
                isHeld.raise()
                mayGo.wait()
            }
        }
        try await eventually { isHeld.isRaised }
        let waiter = Task { try await fixture.pool.withWorker { _ in } }
        try await eventually { fixture.pool.waitingCount == 1 }
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        mayGo.open()
        try await holder.value
        #expect(try await fixture.parse(Self.good).message != nil)
    }

    @Test func aClosedPoolThrowsAndLeavesNoChild() async throws {
        let fixture = try PoolHarness()
        _ = try await fixture.parse(Self.good)
        let pid = try #require(await fixture.pool.childIdentifiers().first)
        await fixture.pool.shutdown()
        #expect(kill(pid, 0) == -1)
        await #expect(throws: ParserError.self) { try await fixture.parse(Self.good) }
    }

    /// Nothing but the pool's folder is written to, and nothing of it stays.
    @Test func thePackHasNoName() async throws {
        let fixture = try PoolHarness()
        _ = try await fixture.parse(Self.good)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
    }

    /// The child gets its file, each time at the beginning.
    @Test func aMessageThatIsTooLargeForMemoryIsReadFromItsFile() async throws {
        let fixture = try PoolHarness()
        let body = String(repeating: "0123456789abcde\n", count: SpoolWriter.memoryBytes / 16)
        let message = try fixture.spool("Content-Type: application/pdf; name=a.pdf\n\n\(body)")
        #expect(message.content.memory == nil)
        for _ in 0..<2 {
            let parsed = try await fixture.parse(message)
            #expect(parsed.message?.attachments.first?.digest == .of(body.utf8))
            #expect(parsed.files == [Array(body.utf8)])
        }
    }

    @Test func aChildThatCannotStartIsNoRefusal() async throws {
        let fixture = try PoolHarness(executable: "/nonexistent/fundmail")
        await #expect(throws: ParserError.self) { try await fixture.parse(Self.good) }
        let quits = try PoolHarness(script: "echo no library >&2; exit 127")
        let error = await #expect(throws: ParserError.self) { try await quits.parse(Self.good) }
        #expect(error?.description.contains("status 127: no library") == true)
    }

    /// Whatever a message makes of a child: it gets at nothing of this machine.
    @Test func aChildReachesNothing() async throws {
        let fixture = try PoolHarness(debug: .poison)
        let escaped = try await fixture.parse("X-Fundmail-Poison: escape\n" + Self.good)
        #expect(fixture.pool.confinement == .all, "the kernel lacks Landlock or seccomp, or something forbids them")
        let ending = "the parser ended by itself with status 3: parse-worker: reached nothing"
        #expect(escaped.refusal?.detail == ending)
    }

    /// A converter that iconv(3) loads from its folder is what a child may still read.
    @Test func aChildLoadsConverters() async throws {
        let fixture = try PoolHarness()
        // None of them stands in the C library itself.
        for (charset, body) in [("big5", "=A4=A4=A4=E5"), ("euc-kr", "=C7=D1=B1=DB"), ("gb18030", "=D6=D0=CE=C4")] {
            let mail =
                "Subject: x\nContent-Type: text/plain; charset=\(charset)\n"
                + "Content-Transfer-Encoding: quoted-printable\n\n"
            let text = try await fixture.parse(mail + body + "\n").message?.text
            let isText = text.map { $0.allSatisfy { !$0.isASCII || $0.isNewline } && !$0.contains("\u{FFFD}") }
            #expect(isText == true, "\(charset)")
        }
    }

    /// A child sees its own limits, no variable of ours and none of our files.
    @Test func aChildIsBare() async throws {
        let fixture = try PoolHarness()
        _ = try await fixture.parse(Self.good)
        let pid = try #require(await fixture.pool.childIdentifiers().first)
        let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
        let status = try Self.status(of: pid)
        #expect(limits.contains(/Max address space +1073741824/))
        #expect(limits.contains(/Max open files +16/))
        #expect(limits.contains(/Max core file size +0/))
        #expect(limits.contains(/Max processes +0/))
        #expect(status.contains(/NoNewPrivs:\s+1/))
        // It answers first and closes the message then.
        let expected = ["0", "1", "2", "3", "4"]
        let isClosed = try await becomesTrue {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").sorted() == expected
        }
        #expect(isClosed)
    }

    /// The child reads the next message while this side still reads the attachments of the last.
    @Test func aPreparedMessageLeavesTheOneBeforeItReadable() async throws {
        let fixture = try PoolHarness(debug: .poison)
        func mail(_ body: String, poison: String = "") -> String {
            "\(poison)Content-Type: application/pdf; name=a.pdf\n\n\(body)\n"
        }
        let limits = ParseLimits()
        let messages = try [
            mail("one"), mail("two"), mail("x", poison: "X-Fundmail-Poison: crash\n"), mail("three"),
        ].map { try fixture.spool($0) }
        let seen = try await fixture.pool.withWorker { worker in
            let pooled = try #require(worker as? PooledWorker)
            var seen: [String] = []
            for (index, message) in messages.enumerated() {
                let result = try worker.parse(message, limits: limits)
                if index + 1 < messages.count { worker.prepare(messages[(index + 1)...], limits: limits) }
                guard case .message = result else {
                    seen.append("refused")
                    continue
                }
                // By its first answer the child has written over the pack.
                let limit = ContinuousClock.now + .seconds(60)
                while index == 0, !pooled.hasAnswer { try #require(.now < limit, "the child does not answer") }
                var bytes: [UInt8] = []
                try worker.readAttachment(0) { bytes += Array($0) }
                seen.append(String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines))
            }
            return seen
        }
        #expect(seen == ["one", "two", "refused", "three"])
        // A message that was announced and not asked for leaves nothing behind.
        let (first, other, third) = (messages[0], messages[1], messages[3])
        let last = try await fixture.pool.withWorker { worker in
            _ = try worker.parse(first, limits: limits)
            worker.prepare([other], limits: limits)
            return try worker.parse(third, limits: limits)
        }
        guard case .message(let parsed) = last else { return #expect(Bool(false), "refused") }
        #expect(parsed.attachments.first?.digest == .of("three\n".utf8))
    }
}

private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isRaised: Bool { value.load(ordering: .acquiring) }
    func raise() { value.store(true, ordering: .releasing) }
}
