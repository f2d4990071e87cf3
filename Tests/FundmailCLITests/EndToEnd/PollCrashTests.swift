import Foundation
import FundCore
import TestSupport
import Testing

/// The process dies by SIGKILL while it polls; the next run files each message exactly once and leaves the server as it
/// should.
@Suite(.startsPrograms, .serialized, .enabled(if: DovecotServer.isUsable)) struct PollCrashTests {
    /// Small enough that 44 messages make six batches.
    private static let batch = ["FUNDMAIL_BATCH": "8"]
    private static let small = [
        MailboxSettings.Scheme.imaps: Task {
            try await PollReference(.imaps, after: "delete", messages: 40, environment: batch)
        },
        .pop3s: Task { try await PollReference(.pop3s, after: "delete", messages: 40, environment: batch) },
    ]

    /// Fault points that a run of mail reaches.
    private static let points = FaultPoint.allCases.filter {
        !(FaultPoint.ofUpdates + FaultPoint.ofObjects + FaultPoint.ofMigrations + [.afterReclaim, .afterOldDatabase])
            .contains($0)
    }

    @Test(arguments: points, [MailboxSettings.Scheme.imaps, .pop3s])
    func diesAtPoint(_ point: FaultPoint, _ scheme: MailboxSettings.Scheme) async throws {
        let reference = try await #require(Self.small[scheme]).value
        let harness = try reference.makeHarness()
        defer { harness.remove() }
        let died = try await harness.poll(["FUNDMAIL_FAILPOINT": "\(point.rawValue):2"])
        try #require(died.wasKilled && died.status == SIGKILL, "\(point) was not reached: \(died)")
        try await reference.expectCompletion(of: harness)
    }

    /// Nothing would be seen of a parser that lives on if it could not be seen at all.
    @Test func parsersDieWithTheirRun() async throws {
        let reference = try await #require(Self.small[.imaps]).value
        let harness = try reference.makeHarness()
        defer { harness.remove() }
        let running = try harness.store.program.start(harness.store.arguments(["poll"]))
        defer { running.kill() }
        var most = 0
        while running.isRunning, most < 2 { most = max(most, harness.processes().count) }
        running.kill()
        _ = try await running.wait()
        #expect(most >= 2)
        try await harness.expectNobodyLeft()
        try await reference.expectCompletion(of: harness)
    }

    /// `scripts/campaign/kill-poll` sets the numbers; without it a short form.
    struct Campaign: Sendable, CustomTestStringConvertible {
        var scheme: MailboxSettings.Scheme
        var after = "delete"
        var processes = 1
        var kills = 6
        var messages = 100
        var seed = 1

        var testDescription: String { "\(scheme) after \(after), \(processes) at once, \(kills) kills" }

        static let all: [Campaign] = {
            let environment = ProcessInfo.processInfo.environment
            guard let kills = environment["FUNDMAIL_KILLS"].flatMap({ Int($0) }) else {
                return [
                    Campaign(scheme: .imaps), Campaign(scheme: .pop3s),
                    Campaign(scheme: .imaps, processes: 2, kills: 4),
                    Campaign(scheme: .imaps, after: "move:Filed", kills: 4),
                ]
            }
            func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
            var campaign = Campaign(scheme: .imaps, kills: kills)
            campaign.scheme = environment["FUNDMAIL_KILL_SCHEME"].flatMap { .init(rawValue: $0) } ?? .imaps
            campaign.after = environment["FUNDMAIL_KILL_AFTER"] ?? "delete"
            campaign.processes = number("FUNDMAIL_KILL_PROCESSES") ?? 1
            campaign.messages = number("FUNDMAIL_KILL_MESSAGES") ?? 1000
            campaign.seed = number("FUNDMAIL_KILL_SEED") ?? 1
            return [campaign]
        }()
    }

    @Test(.timeLimit(.minutes(120)), arguments: Campaign.all)
    func diesAtRandomMoments(_ campaign: Campaign) async throws {
        let reference = try await PollReference(campaign.scheme, after: campaign.after, messages: campaign.messages)
        defer { reference.remove() }
        var generator = SeededGenerator(seed: UInt64(campaign.seed))
        var (done, missed, rounds) = (0, 0, 0)
        // How long a whole run takes, on a machine that may have other things to do.
        var seconds = reference.seconds
        while done < campaign.kills {
            let harness = try reference.makeHarness()
            defer { harness.remove() }
            rounds += 1
            // Up to four deaths before the mailbox is done: a run that dies while it mends what the last one left.
            for _ in 0..<4 where done < campaign.kills {
                // The rest takes less time than the whole; an eighth of it is spent before the first message comes.
                let left = campaign.after == "keep" ? 1 : Double(try harness.waiting) / Double(reference.mail.count)
                let longest = seconds * max(left, 0.125)
                let delays = (0..<campaign.processes).map { _ in Double.random(in: 0..<longest, using: &generator) }
                for died in try await die(harness, after: delays) {
                    if died.wasKilled { done += 1 } else { missed += 1 }
                    // Settles where one run in five is over before it is killed: the whole of a run has its deaths.
                    seconds *= died.wasKilled ? 1.05 : 0.8
                    // A second process may have found the store held.
                    if !died.wasKilled { try #require([0, 75].contains(died.status), "\(died)") }
                }
                try await harness.expectNobodyLeft()
            }
            try await reference.expectCompletion(of: harness)
            if rounds % 20 == 0 { print("round \(rounds): killed \(done) times, \(missed) runs were through before") }
            try #require(missed <= campaign.kills + 10, "most runs are over before they are killed: \(missed), \(done)")
        }
        print(
            "\(campaign.testDescription): \(campaign.messages) messages, killed \(done) times in \(rounds) rounds over",
            "about \(seconds) s, \(missed) more runs were through before")
    }

    /// One run for each delay, all started at once.
    private func die(_ harness: PollHarness, after delays: [Double]) async throws -> [BuiltProgram.Finished] {
        try await withThrowingTaskGroup(of: BuiltProgram.Finished.self) { group in
            for delay in delays { group.addTask { try await harness.poll(killAfter: delay) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
