import MailConnection
import Foundation
import FundCore
import MailFetch
import Synchronization
import TestSupport
import Testing

/// Where messages are durable, as far as these tests go: what is in here may be deleted on a server, and nothing else.
final class MemoryLedger: DeliveryLedger {
    struct Kept: Sendable {
        var place: String
        var digest: ContentDigest
        var size: Int64
        var isRefused: Bool
        var hasSizeMismatch: Bool
        /// Empty for large messages.
        var bytes: [UInt8]
    }

    private struct State {
        var kept: [Kept] = []
        var places: [String: DeliveredPlace] = [:]
    }

    private let state = Mutex(State())

    /// Every delivery in the order of arrival, duplicates too.
    var kept: [Kept] { state.withLock { $0.kept } }
    /// Each message once, refused ones left out.
    var messages: Set<[UInt8]> { Set(kept.lazy.filter { !$0.isRefused }.map(\.bytes)) }

    /// Returns what became of the message: `duplicate` when its bytes were here before.
    func keep(_ pending: PendingMessage, _ spooled: SpooledMessage, isFiled: Bool) throws -> Outcome {
        let bytes = spooled.size > 1 << 20 ? [] : try spooled.bytes()
        let kept = Kept(
            place: pending.reference.place, digest: spooled.digest, size: spooled.size,
            isRefused: pending.refusal != nil, hasSizeMismatch: pending.reference.hasSizeMismatch, bytes: bytes)
        let place = DeliveredPlace(
            place: kept.place, announcedBytes: pending.reference.announcedBytes, isRefusedUnseen: kept.isRefused,
            isFiled: isFiled, hasSizeMismatch: kept.hasSizeMismatch)
        return state.withLock { state in
            defer {
                state.kept.append(kept)
                state.places[place.place] = place
            }
            if state.kept.contains(where: { $0.digest == kept.digest && !$0.isRefused }) { return .duplicate }
            return isFiled ? .filed : .misrouted
        }
    }

    /// The administrator files everything that was kept.
    func fileEverything() {
        state.withLock { state in for place in state.places.keys { state.places[place]?.isFiled = true } }
    }

    /// Notes these as delivered by an earlier run.
    func remember(_ places: some Sequence<String>) {
        state.withLock { state in for place in places { state.places[place] = DeliveredPlace(place: place) } }
    }

    func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace] {
        state.withLock { state in Array(state.places.values) }
    }

    func noteDeparted(_ places: [String], in mailbox: String) throws {
        state.withLock { state in for place in places { state.places[place] = nil } }
    }
}

/// Polls one mailbox as the pipeline does, as often as a test wants: each poll is a run of its own.
struct MailboxHarness: Sendable {
    struct Poll: Sendable {
        /// How many messages came in this run, refused ones too.
        var count = 0
        /// Failures of messages that could not be had.
        var failures: [ConnectionError.Code?] = []
        /// Error that ended the run early.
        var error: (any Error)?
        var notices: [MailboxNotice] = []
        var waiting: WaitingMail?

        var code: ConnectionError.Code? { (error as? ConnectionError)?.code }
    }

    var access: MailboxAccess
    var ledger = MemoryLedger()
    /// Messages to one acknowledgement.
    var batch = 16
    /// Called after so many messages came, before the next is asked for.
    var disturbance: (after: Int, action: @Sendable () throws -> Void)?
    /// Which messages no fund takes: they are kept as misrouted.
    var isMisrouted: @Sendable (_ message: [UInt8]) -> Bool = { _ in false }
    /// The run ends when a line drops, as if the machine had died; otherwise the source connects again.
    var diesWithTheLine = false
    /// After an error what is durable is told to the server, as the pipeline does.
    var finishesAfterErrors = false

    init(
        _ scheme: MailServerAddress.Scheme, port: Int, user: String, after: MailboxAccess.After = .delete,
        tls: TLSPolicy? = nil
    ) throws {
        let address = MailServerAddress(scheme: scheme, user: user, host: "localhost", port: UInt16(port))
        access = MailboxAccess(
            name: user, address: address, credentials: .password(DovecotServer.password),
            tls: try tls ?? .required(caFile: TestAuthority.shared.get().caFile), after: after)
        if ProcessInfo.processInfo.environment["FUNDMAIL_TRACE"] != nil {
            access.transcript = Transcript { print(user, $0) }
        }
    }

    init(
        _ scheme: MailServerAddress.Scheme, on server: DovecotServer, user: String,
        after: MailboxAccess.After = .delete,
        tls: TLSPolicy? = nil
    ) throws {
        try self.init(scheme, port: server.ports.port(scheme), user: user, after: after, tls: tls)
    }

    func poll(cancellation: Cancellation = Cancellation()) async throws -> Poll {
        let folder = try TestFile.makeFolder("spool")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let spool = SpoolDirectory(path: folder)
        let notices = Mutex<[MailboxNotice]>([])
        let services = MailboxServices(spool: spool, ledger: ledger, cancellation: cancellation) { notice in
            notices.withLock { $0.append(notice) }
            if diesWithTheLine, case .reconnecting = notice { cancellation.cancel() }
        }
        var poll = Poll()
        do {
            let source = try ServerMailbox(access, in: services)
            do {
                try await run(source, spool, &poll)
            } catch {
                poll.error = error
                if finishesAfterErrors { try? await source.finish() }
            }
            poll.waiting = await source.waitingMail()
            await source.close()
        }
        poll.notices = notices.withLock { $0 }
        // Nothing that came has a name in the spool: it is gone with its last use.
        if poll.error == nil, TestFile.names(in: folder) != [] {
            Issue.record("left in the spool: \(TestFile.names(in: folder).count) files")
        }
        return poll
    }

    /// Takes all there is, acknowledges it and ends the run; the source may be used again.
    func run(_ source: any MessageSource, _ spool: SpoolDirectory, _ poll: inout Poll) async throws {
        var waiting: [StoredMessage] = []
        while let pending = try await source.next(atMost: 1).first {
            do {
                let spooled = try pending.spool(spool)
                let isFiled = try spooled.size > 1 << 20 || !isMisrouted(spooled.bytes())
                let outcome = try ledger.keep(pending, spooled, isFiled: isFiled)
                waiting.append(Self.stored(pending, spooled, outcome, isFiled: isFiled))
                poll.count += 1
            } catch {
                poll.failures.append((error as? ConnectionError)?.code)
            }
            if waiting.count >= batch {
                try await source.acknowledge(waiting)
                waiting = []
            }
            if let disturbance, disturbance.after == poll.count { try disturbance.action() }
        }
        if !waiting.isEmpty { try await source.acknowledge(waiting) }
        try await source.finish()
    }

    private static func stored(
        _ pending: PendingMessage, _ spooled: SpooledMessage, _ outcome: Outcome, isFiled: Bool
    ) -> StoredMessage {
        let routed = RoutedMessage(
            reference: pending.reference, spooled: spooled,
            parsed: .refused(.unparseable, detail: "", header: nil, defects: []),
            decision: RoutingDecision(outcome: isFiled ? .filed : .misrouted), policy: RoutingPolicy(trust: .vouched))
        return StoredMessage(
            message: routed, outcome: outcome, reason: nil, emailID: isFiled ? 1 : nil, misrouteID: isFiled ? nil : 1)
    }
}

extension DovecotServer.Ports {
    func port(_ scheme: MailServerAddress.Scheme) -> Int {
        switch scheme {
        case .imaps: imaps
        case .imap: imap
        case .pop3s: pop3s
        case .pop3: pop3
        }
    }
}

/// Small messages that differ from each other, with CRLF and the line ends and dots that protocols treat specially.
enum TestMail {
    static func make(_ count: Int, from first: Int = 0, bytes: Int = 300) -> [[UInt8]] {
        (first..<first + count).map { number in
            let filler = String(repeating: "x", count: max(0, bytes - 90))
            return Array(
                "Subject: [Fund1] \(number)\r\nX-A: \u{e9}\r\n\r\n.dot\r\n..\r\n\(filler)\r\n.\r\n\(number)\r\n".utf8)
        }
    }
}
