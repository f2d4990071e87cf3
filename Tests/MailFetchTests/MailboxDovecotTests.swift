import Foundation
import Ingest
import Synchronization
import TestSupport
import Testing

@testable import MailFetch

/// A ledger in memory.
final class MemoryLedger: DeliveryLedger {
    let places = Mutex<[String: DeliveredPlace]>([:])

    func deliveredPlaces(in mailbox: String, beginningWith prefix: String) throws -> [DeliveredPlace] {
        places.withLock { places in places.values.filter { $0.place.hasPrefix(prefix) } }
    }

    func noteDeparted(_ gone: [String], in mailbox: String) throws {
        places.withLock { places in for place in gone { places[place] = nil } }
    }
}

/// Takes what a source gives, as the pipeline would, and acknowledges it in batches.
struct Collector {
    var source: any MessageSource
    var ledger: MemoryLedger
    var spool: SpoolDirectory
    var batch = 64

    struct Found {
        var bytes: [[UInt8]] = []
        var places: [String] = []
        var refusals: [Refusal?] = []
        var failures: [any Error] = []
    }

    func run(acknowledging isWanted: (String) throws -> Bool = { _ in true }) async throws -> Found {
        var found = Found()
        var waiting: [StoredMessage] = []
        while case let chunk = try await source.next(atMost: 8), !chunk.isEmpty {
            for pending in chunk {
                let spooled: SpooledMessage
                do { spooled = try pending.spool(spool) } catch {
                    found.failures.append(error)
                    continue
                }
                found.bytes.append(Array(try Data(contentsOf: URL(filePath: spooled.path))))
                found.places.append(pending.reference.place)
                found.refusals.append(pending.refusal)
                spooled.discard()
                let place = DeliveredPlace(
                    place: pending.reference.place, announcedBytes: pending.reference.announcedBytes,
                    isRefusedUnseen: pending.refusal != nil)
                ledger.places.withLock { $0[place.place] = place }
                let routed = RoutedMessage(
                    reference: pending.reference, spooled: spooled,
                    parsed: .refused(.unparseable, detail: "", header: nil, defects: []),
                    decision: RoutingDecision(outcome: .misrouted), policy: RoutingPolicy(trust: .vouched))
                guard try isWanted(place.place) else { continue }
                waiting.append(
                    StoredMessage(message: routed, outcome: .misrouted, reason: nil, emailID: nil, misrouteID: nil))
                if waiting.count == batch {
                    try await source.acknowledge(waiting)
                    waiting = []
                }
            }
        }
        if !waiting.isEmpty { try await source.acknowledge(waiting) }
        try await source.finish()
        return found
    }
}

@Suite(.enabled(if: DovecotServer.isUsable)) struct MailboxDovecotTests {
    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s])
    func whatIsTooLargeIsRecordedByItsHeaderOnceAndStays(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let (user, ledger) = ("mailbox-large-\(scheme.rawValue)", MemoryLedger())
        let large = Array("Subject: large\r\nFrom: a@b\r\n\r\n\(String(repeating: "x", count: 5000))\r\n".utf8)
        try server.deliver(Array("Subject: small\r\n\r\n".utf8), to: user)
        try server.deliver(large, to: user)
        let found = try await collect(server, scheme, user, after: .delete, ledger: ledger, maxMessageBytes: 4096)
        #expect(found.refusals.compactMap(\.self).map(\.reason) == [.tooLarge])
        #expect(
            Set(found.bytes.map { String(decoding: $0, as: UTF8.self) }) == [
                "Subject: small\r\n\r\n", "Subject: large\r\nFrom: a@b\r\n\r\n",
            ])
        #expect(try server.mail(of: user).map(\.bytes) == [large])
        let again = try await collect(server, scheme, user, after: .delete, ledger: ledger, maxMessageBytes: 4096)
        #expect(again.places.isEmpty)
        // The limit was raised.
        #expect(try await collect(server, scheme, user, after: .keep, ledger: ledger).bytes == [large])
    }

    /// Without UIDPLUS an EXPUNGE takes along what others marked.
    @Test func whatOthersMarkedIsNeverExpunged() async throws {
        let server = try Self.server("IMAP4rev1")
        let ledger = MemoryLedger()
        for number in 0..<5 { try server.deliver(Array("Subject: \(number)\r\n\r\n".utf8), to: "mailbox-others") }
        #expect(try await collect(server, .imap, "mailbox-others", after: .delete, ledger: ledger).places.count == 5)
        #expect(try server.mail(of: "mailbox-others").isEmpty)

        for number in 5..<8 { try server.deliver(Array("Subject: \(number)\r\n\r\n".utf8), to: "mailbox-others") }
        var places: [String] = []
        let notices = Mutex<[MailboxNotice]>([])
        let found = try await collect(
            server, .imap, "mailbox-others", after: .delete, ledger: ledger,
            onNotice: { notice in
                notices.withLock { $0.append(notice) }
            }
        ) { place in
            if places.isEmpty {
                try server.doveadm("flags", "add", "-u", "mailbox-others", "\\Deleted", "mailbox", "INBOX", "uid", "8")
            }
            places.append(place)
            return !place.hasSuffix("/8")
        }
        #expect(found.places.count == 3)
        #expect(try server.mail(of: "mailbox-others").count == 3)
        #expect(notices.withLock { $0 } == [.leftMarkedDeleted(count: 2)])
    }

    @Test func newMailEndsAnIdleAtOnceAndTheSameSourceFetchesIt() async throws {
        let server = try DovecotServer.shared.get()
        let (source, collector) = try make(server, .imaps, "mailbox-idle", after: .delete)
        let idling = try #require(source as? IMAPMailboxSource)
        try server.deliver(Array("Subject: 1\r\n\r\n".utf8), to: "mailbox-idle")
        #expect(try await collector.run().places.count == 1)
        for number in 2...3 {
            async let waited = idling.waitForMail(atMost: .seconds(20))
            try await Task.sleep(for: .milliseconds(300))
            try server.deliver(Array("Subject: \(number)\r\n\r\n".utf8), to: "mailbox-idle")
            #expect(try await waited == .newMail)
            #expect(try await collector.run().places.count == 1)
        }
        #expect(try await idling.waitForMail(atMost: .milliseconds(200)) == .nothing)
        await idling.close()
        #expect(try server.mail(of: "mailbox-idle").isEmpty)
    }

    /// What a plain EXPUNGE removed is not waited for: the next message is news.
    @Test func newMailIsSeenWithoutUIDPLUS() async throws {
        let server = try Self.server("IMAP4rev1 IDLE")
        let (source, collector) = try make(server, .imaps, "mailbox-plain-idle", after: .delete)
        for number in 0..<3 { try server.deliver(Array("Subject: \(number)\r\n\r\n".utf8), to: "mailbox-plain-idle") }
        #expect(try await collector.run().places.count == 3)
        let idling = try #require(source as? IMAPMailboxSource)
        async let waited = idling.waitForMail(atMost: .seconds(20))
        try await Task.sleep(for: .milliseconds(300))
        try server.deliver(Array("Subject: 4\r\n\r\n".utf8), to: "mailbox-plain-idle")
        #expect(try await waited == .newMail)
        await idling.close()
    }

    @Test func aCancellationEndsAnIdleAtOnce() async throws {
        let server = try DovecotServer.shared.get()
        let cancellation = Cancellation()
        let (source, _) = try make(server, .imaps, "mailbox-cancel", after: .delete, cancellation: cancellation)
        let idling = try #require(source as? IMAPMailboxSource)
        async let waited = idling.waitForMail(atMost: .seconds(60))
        try await Task.sleep(for: .milliseconds(500))
        let begin = ContinuousClock.now
        cancellation.cancel()
        #expect(try await waited == .cancelled)
        #expect(.now - begin < .seconds(30))
        await idling.close()
    }

    @Test(
        arguments: [TestAuthority.Certificate.expired, .wrongHost, .otherAuthority, .selfSigned],
        [MailServerAddress.Scheme.imaps, .pop3])
    func aWrongCertificateNeverGetsALogin(
        _ certificate: TestAuthority.Certificate, _ scheme: MailServerAddress.Scheme
    ) async throws {
        var options = DovecotServer.Options()
        options.certificate = certificate
        let server = try DovecotServer(options)
        defer { server.stop() }
        let error = await #expect(throws: FetchError.self) { try await collect(server, scheme, "wrong", after: .keep) }
        #expect(error?.code == .certificate)
        #expect(error?.isTemporary == false)
    }

    /// SIGTERM in the middle of a run: no message is waited for any more, but what is durable is still told.
    @Test(arguments: [MailServerAddress.Scheme.imaps, .pop3s])
    func whatIsDurableIsToldAfterACancellation(_ scheme: MailServerAddress.Scheme) async throws {
        let server = try DovecotServer.shared.get()
        let (user, cancellation) = ("mailbox-term-\(scheme.rawValue)", Cancellation())
        for number in 0..<100 { try server.deliver(Array("Subject: \(number)\r\n\r\n".utf8), to: user) }
        let (_, collector) = try make(server, scheme, user, after: .delete, cancellation: cancellation)
        let taken = Mutex(0)
        let found = try await collector.run { _ in
            taken.withLock { $0 += 1 }
            if taken.withLock({ $0 }) == 10 { cancellation.cancel() }
            return true
        }
        #expect((10..<100).contains(found.places.count))
        #expect(try server.mail(of: user).count == 100 - found.places.count)
    }

    @Test(
        arguments: [MailServerAddress.Scheme.imaps, .imap, .pop3s, .pop3],
        [Credentials.password(DovecotServer.password), .oauth2 { _ in BearerToken.make(user: "mailbox-trace") }])
    func aTranscriptHoldsNoSecretAndNothingOfAMessage(
        _ scheme: MailServerAddress.Scheme, _ credentials: Credentials
    ) async throws {
        let server = try DovecotServer.shared.get()
        let user = "mailbox-trace"
        try server.deliver(Array("Subject: Confidential\r\n\r\nConfidential\r\n".utf8), to: user)
        let lines = Mutex<[String]>([])
        let (_, collector) = try make(
            server, scheme, user, after: .keep, credentials: credentials,
            transcript: Transcript { line in lines.withLock { $0.append(line) } })
        #expect(try await !collector.run().places.isEmpty)
        let secret = try credentials.secret(isRefused: false).text
        let said = lines.withLock { $0.joined(separator: "\n") }
        #expect(said.contains(scheme.isIMAP ? "UID FETCH" : "RETR"))
        #expect(!said.contains("Confidential") && !said.contains(secret))
        // Whatever was encoded is longer than any word that belongs there.
        let words = said.split { " \n".contains($0) }
        let encoded = words.filter { word in
            Data(base64Encoded: String(word)).map { String(decoding: $0, as: UTF8.self).contains(secret) } ?? false
        }
        #expect(encoded.isEmpty)
    }

    /// What the guard against an unencrypted login rests on.
    @Test(arguments: [(MailServerAddress.Scheme.imaps, true), (.imap, true), (.imap, false), (.pop3, false)])
    func encryptionIsSeen(_ scheme: MailServerAddress.Scheme, _ isEncrypted: Bool) throws {
        let server = try DovecotServer.shared.get()
        let login = CurlLogin(
            address: MailServerAddress(
                scheme: scheme, user: "mailbox-tls", host: "localhost", port: UInt16(server.ports.port(scheme))),
            credentials: .password(DovecotServer.password),
            tls: isEncrypted ? .required(caFile: try TestAuthority.shared.get().caFile) : .off,
            deadlines: FetchDeadlines(), cancellation: Cancellation())
        #expect(try login.open().isEncrypted == isEncrypted)
    }

    private static func server(_ capability: String) throws -> DovecotServer {
        var options = DovecotServer.Options()
        options.capability = capability
        return try DovecotServer(options)
    }

    private func collect(
        _ server: DovecotServer, _ scheme: MailServerAddress.Scheme, _ user: String, after: MailboxAccess.After,
        ledger: MemoryLedger = MemoryLedger(), maxMessageBytes: Int64 = 100_000_000,
        onNotice: @escaping @Sendable (MailboxNotice) -> Void = { _ in },
        acknowledging isWanted: (String) throws -> Bool = { _ in true }
    ) async throws -> Collector.Found {
        let (_, collector) = try make(
            server, scheme, user, after: after, ledger: ledger, maxMessageBytes: maxMessageBytes, onNotice: onNotice)
        return try await collector.run(acknowledging: isWanted)
    }

    private func make(
        _ server: DovecotServer, _ scheme: MailServerAddress.Scheme, _ user: String, after: MailboxAccess.After,
        ledger: MemoryLedger = MemoryLedger(), maxMessageBytes: Int64 = 100_000_000,
        credentials: Credentials = .password(DovecotServer.password), cancellation: Cancellation = Cancellation(),
        transcript: Transcript? = nil, onNotice: @escaping @Sendable (MailboxNotice) -> Void = { _ in }
    ) throws -> (any MessageSource, Collector) {
        let address = MailServerAddress(
            scheme: scheme, user: user, host: "localhost", port: UInt16(server.ports.port(scheme)))
        var access = MailboxAccess(
            name: user, address: address, credentials: credentials,
            tls: .required(caFile: try TestAuthority.shared.get().caFile), after: after)
        (access.maxMessageBytes, access.transcript) = (maxMessageBytes, transcript)
        let path = FileManager.default.temporaryDirectory.appending(path: "fetch-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let surroundings = MailboxSurroundings(
            spool: SpoolDirectory(path: path), ledger: ledger, cancellation: cancellation, onNotice: onNotice)
        let source: any MessageSource =
            scheme.isIMAP
            ? IMAPMailboxSource(access, in: surroundings) : try POP3MailboxSource(access, in: surroundings)
        return (source, Collector(source: source, ledger: ledger, spool: surroundings.spool))
    }
}
