import Foundation
import FundCore
import FundStore
import MailConnection
import Synchronization
import TestSupport

@testable import MailSend

/// A store with letters, and relays that hand them to scripted servers.
final class RelayHarness: Sendable {
    let folder: String
    let store: FundStore
    private let seen = Mutex<[RelayEvent]>([])

    /// - Parameter recipients: one letter to each, in this order.
    init(_ recipients: String...) throws {
        folder = try TestFile.makeFolder("relay")
        store = try FundStore.open(at: "\(folder)/store", mode: .create)
        try queue(recipients)
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Queues a letter to each, behind those that are there, and tells the relay.
    func queue(_ recipients: [String]) throws {
        let now = Timestamp.now
        for recipient in recipients {
            try StoreSnapshot.execute(
                """
                INSERT INTO outbox (kind, cause, topic, recipient, mark, state, queued_at, due_at)
                SELECT 'filed', count(*) + 1, '', '\(recipient)', printf('%032d', count(*) + 1), 'queued', \(now),
                    \(now)
                FROM outbox
                """, in: "\(folder)/store")
        }
        store.library.commits.raise()
    }

    /// - Parameter port: of the server; nil for none.
    func relay(
        _ port: Int?, composer: any LetterComposer = PlainLetters(), change: (inout SMTPAccess) -> Void = { _ in }
    ) -> OutboxRelay {
        OutboxRelay(
            store.outbox, composer, route: port.map { route($0, change: change) }, commits: store.library.commits
        ) { [self] event in seen.withLock { $0.append(event) } }
    }

    func route(_ port: Int, change: (inout SMTPAccess) -> Void = { _ in }) -> RelayRoute {
        var access = SMTPAccess.test(port, user: nil)
        change(&access)
        let ready = access
        return RelayRoute(sender: Correspondent(name: "Fundmail", address: TestLetter.sender)) { _ in
            ready
        } advice: {
            "\($0)"
        }
    }

    /// Sends the letters that are due now; gives the reason why some were left.
    @discardableResult
    func sendDue(_ port: Int, composer: any LetterComposer = PlainLetters()) async -> String? {
        await relay(port, composer: composer).runOnce(atMost: .seconds(60), until: Cancellation())
    }

    /// Runs `body` beside a relay, which ends then.
    func running(
        _ relay: OutboxRelay, lastWait: Duration = .seconds(60), _ body: () async throws -> Void
    ) async throws {
        let task = Task { await relay.run(lastWait: lastWait) }
        defer { task.cancel() }
        try await body()
        relay.end()
        await task.value
    }

    var events: [RelayEvent] { seen.withLock { $0 } }

    /// - Parameter number: 1 for the first that was queued.
    func letter(_ number: Int) async throws -> OutboxLetter {
        try await store.outbox.letter(OutboxLetter.ID(Int64(number)))
    }

    /// The states of all letters, in the order in which they were queued.
    var states: [OutboxLetter.State] {
        get async throws {
            try await store.outbox.letters(OutboxFilter(), PageQuery(limit: 500)).items.reversed().map(\.state)
        }
    }
}

/// Letters without anything to say.
struct PlainLetters: LetterComposer {
    var text: @Sendable (OutboxLetter) async throws -> String? = { "Letter \($0.id).\n" }

    func compose(_ letter: OutboxLetter, from sender: Correspondent) async throws -> ComposedLetter {
        guard let text = try await self.text(letter) else { return .dropped("the mail is gone") }
        var message = OutgoingMessage(
            from: sender, to: [Correspondent(address: try OutgoingAddress(letter.recipient))], subject: "Filed",
            text: text)
        message.origin = .replied
        return .message(message)
    }
}
