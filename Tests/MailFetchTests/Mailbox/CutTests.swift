import MailConnection
import Foundation
import FundCore
import MailFetch
import TestSupport
import Testing

/// The line drops, everywhere. Nothing counts as complete that is not, nothing is deleted on the server that is not
/// durable here, and the next run ends in the state that an undisturbed one leaves.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct CutTests {
    /// Number of sessions at once: most of their time is waiting.
    private static let concurrency = 12

    /// One server for all: its greeting and its answers are short, so that there are fewer places to cut.
    private static let server = Result {
        var options = DovecotServer.Options()
        options.capability = "IMAP4rev1 UIDPLUS MOVE"
        options.mechanisms = "plain"
        options.configuration = "login_greeting = hello"
        return try DovecotServer(options)
    }

    enum Side { case client, server }

    /// A mailbox of its own and the proxy in front of it.
    private struct Stand {
        let server: DovecotServer
        let scheme: MailServerAddress.Scheme
        let user: String
        let mail: [[UInt8]]
        let proxy: MeddlingProxy
        let tls: TLSPolicy?

        init(_ scheme: MailServerAddress.Scheme, user: String, mail: [[UInt8]], tls: TLSPolicy? = nil) throws {
            server = try CutTests.server.get()
            (self.scheme, self.user, self.mail, self.tls) = (scheme, user, mail, tls)
            proxy = try MeddlingProxy(to: server.ports.port(scheme))
        }

        func refill() throws {
            try server.empty(user)
            for message in mail { try server.deliver(message, to: user) }
        }

        /// Bytes that go each way when nothing happens.
        func measure() async throws -> (server: Int, client: Int) {
            try refill()
            let harness = try MailboxHarness(scheme, port: proxy.port, user: user, tls: tls)
            let poll = try await harness.poll()
            #expect(poll.error == nil && harness.ledger.messages == Set(mail))
            let traffic = try #require(proxy.traffic.last)
            return (traffic.serverBytes, traffic.clientBytes)
        }

        /// One cut, then an undisturbed run. With `dies`, the first run ends with the line.
        func harness(_ position: Int, _ side: Side, dies: Bool, resets: Bool) async throws {
            try refill()
            var rules = MeddlingProxy.Rules()
            if side == .server { rules.cutAfterServerBytes = position } else { rules.cutAfterClientBytes = position }
            rules.resets = resets
            proxy.setRules(rules)
            var harness = try MailboxHarness(scheme, port: proxy.port, user: user, tls: tls)
            harness.batch = 3
            harness.diesWithTheLine = dies
            harness.disturbance = nil
            let connections = proxy.traffic.count
            // The connection is cut once: the next one is whole.
            async let mended: Void = mend(after: connections)
            let first = try await harness.poll()
            try await mended
            let place = "\(scheme) cut after \(position) bytes from the \(side)\(resets ? " with RST" : "")"
            #expect(harness.ledger.messages.isSubset(of: mail), "incomplete, but stored: \(place)")
            let left = try Set(server.mail(of: user).map(\.bytes))
            #expect(
                Set(mail).subtracting(left).isSubset(of: harness.ledger.messages), "deleted, but not durable: \(place)")
            #expect(first.failures.isEmpty, "\(place)")
            if !dies, first.error == nil { #expect(harness.ledger.messages == Set(mail), "\(place)") }
            proxy.setRules(MeddlingProxy.Rules())
            harness.diesWithTheLine = false
            let second = try await harness.poll()
            #expect(second.error == nil && second.failures.isEmpty, "\(place): \(second)")
            #expect(harness.ledger.messages == Set(mail), "lost: \(place)")
            #expect(try server.mail(of: user).isEmpty, "not deleted: \(place)")
        }

        private func mend(after connections: Int) async throws {
            #expect(try await becomesTrue { proxy.traffic.count > connections })
            proxy.setRules(MeddlingProxy.Rules())
        }
    }

    /// Runs the harnesses side by side, each stand one after the other.
    private func run(
        _ positions: [(position: Int, side: Side, dies: Bool)], stands: [Stand]
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, stand) in stands.enumerated() {
                group.addTask {
                    for number in stride(from: index, to: positions.count, by: stands.count) {
                        let cut = positions[number]
                        try await stand.harness(cut.position, cut.side, dies: cut.dies, resets: number % 3 == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Every byte of a short session, both ways.
    @Test(arguments: [MailServerAddress.Scheme.imap, .pop3])
    func everyByteOfAShortSession(_ scheme: MailServerAddress.Scheme) async throws {
        let mail = TestMail.make(2, bytes: 0)
        let stands = try (0..<Self.concurrency).map {
            try Stand(scheme, user: "short-\(scheme.rawValue)-\($0)", mail: mail, tls: .off)
        }
        let total = try await stands[0].measure()
        let positions =
            (0...total.server).map { ($0, Side.server, true) } + (0...total.client).map { ($0, Side.client, true) }
            // The source that connects again by itself, at some of them.
            + stride(from: 1, through: total.server, by: 16).map { ($0, Side.server, false) }
        #expect(total.server > 300 && total.client > 50)
        try await run(positions, stands: stands)
    }

    /// Random places of a long session; the seed is fixed, so that a failure can be repeated.
    @Test(arguments: [MailServerAddress.Scheme.imap, .imaps, .pop3, .pop3s])
    func randomBytesOfALongSession(_ scheme: MailServerAddress.Scheme) async throws {
        // One large enough to be resumed in the middle.
        let mail =
            TestMail.make(12, bytes: 3000) + TestMail.make(1, from: 50, bytes: 600_000) + TestMail.make(3, from: 90)
        let stands = try (0..<Self.concurrency / 2).map {
            try Stand(
                scheme, user: "long-\(scheme.rawValue)-\($0)", mail: mail, tls: scheme.isImplicitTLS ? nil : .off)
        }
        let total = try await stands[0].measure()
        var random = SeededGenerator(seed: 20_261_120)
        let positions = (0..<125).map { number in
            number % 8 == 0
                ? (Int.random(in: 0..<total.client, using: &random), Side.client, true)
                : (Int.random(in: 0..<total.server, using: &random), Side.server, number % 4 != 0)
        }
        try await run(positions, stands: stands)
    }
}
