import MailConnection
import FundCore
import MailFetch
import TestSupport
import Testing

/// A mailbox that changes between polls and in the middle of one.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct DovecotChangeTests {
    /// A new UIDVALIDITY: everything is fetched again, nothing counts as known by number, and what is the same is
    /// recognised by its bytes.
    @Test func anotherEpochBetweenPolls() async throws {
        let server = try DovecotServer.shared.get()
        let mail = TestMail.make(30)
        for message in mail { try server.deliver(message, to: "epoch") }
        let harness = try MailboxHarness(.imaps, on: server, user: "epoch", after: .keep)
        #expect(try await harness.poll().count == 30)
        try server.changeUIDValidity(of: "epoch", to: 77)
        let second = try await harness.poll()
        #expect(second.error == nil && second.count == 30 && harness.ledger.messages == Set(mail))
        #expect(harness.ledger.kept.suffix(30).allSatisfy { $0.place.hasPrefix("77/") })
        #expect(try await harness.poll().count == 0)
        // Equal numbers in another epoch are other messages.
        try server.empty("epoch")
        try server.changeUIDValidity(of: "epoch", to: 78)
        let others = TestMail.make(3, from: 1000)
        for message in others { try server.deliver(message, to: "epoch") }
        #expect(try await harness.poll().count == 3)
        #expect(harness.ledger.messages == Set(mail + others))
    }

    @Test(arguments: [MailboxAccess.After.delete, .keep, .move(folder: "Done")])
    func anotherEpochInTheMiddle(_ after: MailboxAccess.After) async throws {
        let server = try DovecotServer.shared.get()
        let user = "mid-epoch-\(after)".filter(\.isLetter)
        let mail = TestMail.make(60, bytes: 60_000)
        for message in mail { try server.deliver(message, to: user) }
        var harness = try MailboxHarness(.imaps, on: server, user: user, after: after)
        harness.batch = 5
        harness.disturbance = (after: 7, { try server.changeUIDValidity(of: user, to: 4242) })
        _ = try await harness.poll()
        try expectNothingLost(mail, harness, user, on: server)
        harness.disturbance = nil
        let last = try await harness.poll()
        #expect(last.error == nil && last.failures.isEmpty)
        #expect(harness.ledger.messages == Set(mail))
        if after == .keep {
            #expect(try server.mail(of: user).count == 60)
        } else {
            #expect(try server.mail(of: user).isEmpty)
        }
    }

    @Test(arguments: DovecotLoginTests.schemes)
    func expungedUnderUs(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "gone-\(scheme.rawValue)"
        // More than is asked for at once.
        let mail = TestMail.make(60, bytes: 200_000)
        for message in mail { try server.deliver(message, to: user) }
        var harness = try MailboxHarness(scheme, on: server, user: user, after: .delete)
        harness.batch = 5
        harness.disturbance = (
            after: 3, { try server.doveadm("expunge", "-u", user, "mailbox", "INBOX", "uid", "41:60") }
        )
        let first = try await harness.poll()
        #expect(first.error == nil, "\(first)")
        let second = try await harness.poll()
        #expect(second.error == nil && second.failures.isEmpty)
        #expect(harness.ledger.messages.isSuperset(of: mail[..<40]) && harness.ledger.messages.isSubset(of: mail))
        #expect(try server.mail(of: user).isEmpty)
    }

    /// The set of a huge mailbox is taken whole; what is known is not fetched again.
    @Test func hundredThousandMessages() async throws {
        let server = try DovecotServer.shared.get()
        let count = 100_000
        try server.deliver(count, copiesOf: TestMail.make(1, bytes: 1000)[0], to: "huge")
        try server.changeUIDValidity(of: "huge", to: 9)
        let harness = try MailboxHarness(.imaps, on: server, user: "huge", after: .keep)
        harness.ledger.remember((1...count).lazy.filter { $0 % 500 != 0 }.map { "9/\($0)" })
        let poll = try await harness.poll()
        #expect(poll.error == nil)
        #expect(harness.ledger.kept.map(\.place) == stride(from: 500, through: count, by: 500).map { "9/\($0)" })
        #expect(try await harness.poll().count == 0)
        let pop = try MailboxHarness(.pop3s, on: server, user: "huge", after: .keep)
        pop.ledger.remember(
            (1...count).lazy.filter { $0 % 500 != 0 }.map { number in
                let text = String(number, radix: 16)  // Dovecot's UIDL: UID and UIDVALIDITY in hexadecimal
                return String(repeating: "0", count: 8 - text.count) + text + "00000009"
            })
        let popped = try await pop.poll()
        #expect(popped.error == nil && popped.count == count / 500)
    }

    /// Memory stays flat while a message of 200 MB comes in; measured in a process apart from other tests.
    @Test func largeMessage() async {
        await #expect(processExitsWith: .success) {
            for scheme in [MailServerAddress.Scheme.imaps, .pop3s] { try await Self.fetchLargeMessage(scheme) }
        }
    }

    private static func fetchLargeMessage(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let user = "giant-\(scheme.rawValue)"
        let line = Array((String(repeating: "QUJD", count: 19) + "\r\n").utf8)
        let block = Array(repeatElement(line, count: 1000).joined())
        let header = Array("Subject: [Fund1] large\r\n\r\n".utf8)
        let times = 200_000_000 / block.count
        try server.deliver(header: header, block: block, times: times, to: user)
        var harness = try MailboxHarness(scheme, on: server, user: user, after: .delete)
        harness.access.maxMessageBytes = 1 << 30
        let before = peakResidentMiB()
        let poll = try await harness.poll()
        let size = Int64(header.count + times * block.count)
        guard poll.error == nil, harness.ledger.kept.map(\.size) == [size], try server.mail(of: user).isEmpty else {
            throw ServerFailure("\(scheme): \(poll)")
        }
        let peak = peakResidentMiB()
        guard before > 0, peak - before < 64 else { throw ServerFailure("\(scheme): from \(before) to \(peak) MiB") }
    }

    /// Expects each message that is not in the ledger to be on the server still.
    private func expectNothingLost(
        _ mail: [[UInt8]], _ harness: MailboxHarness, _ user: String, on server: DovecotServer
    ) throws {
        let left = try Set(server.mail(of: user).filter { !$0.flags.contains("T") }.map(\.bytes))
        #expect(Set(mail).subtracting(left).isSubset(of: harness.ledger.messages))
    }

    private static func peakResidentMiB() -> Int {
        let status = (try? TestFile.read("/proc/self/status")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 / 1024 } ?? 0
    }
}
