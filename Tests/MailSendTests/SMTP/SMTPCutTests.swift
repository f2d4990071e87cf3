import FundCore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// The line breaks at every byte of the dialogue, in either direction. What is reported is what the server has: an
/// error means that it has nothing, `sent` that it has the letter, and neither is said where this side cannot know.
@Suite struct SMTPCutTests {
    enum Side: CaseIterable { case client, server }

    /// Each byte without a login, and some with one: `CurlLogin` is the same for every protocol.
    @Test(arguments: Side.allCases, [nil, SMTPScript.user])
    func everyByte(_ side: Side, user: String?) async throws {
        let server = try SMTPScript().start()
        defer { server.stop() }
        let letter = try TestLetter.data()
        var counts: [String: Int] = [:]
        for place in stride(from: 1, to: .max, by: user == nil ? 1 : 7) {
            let before = server.connections
            var rules = MeddlingProxy.Rules()
            if side == .client { rules.cutAfterClientBytes = place } else { rules.cutAfterServerBytes = place }
            let proxy = try MeddlingProxy(to: server.port, rules: rules)
            defer { proxy.stop() }
            let access = SMTPAccess.test(proxy.port, user: user)
            let result = await Self.send(letter, access)
            #expect(await server.waitUntilIdle())
            let lines = server.record.lines.dropFirst(before).flatMap(\.self)
            let hasLetter = lines.contains(".")
            switch result {
            case .success(.sent):
                #expect(hasLetter, "\(place): \(lines)")
                counts["sent", default: 0] += 1
            case .success(.uncertain):
                #expect(lines.contains("DATA"), "\(place): \(lines)")
                counts[hasLetter ? "uncertain, taken" : "uncertain, lost", default: 0] += 1
            case .failure(let error):
                #expect(!hasLetter, "\(place): \(error): \(lines)")
                #expect(error.isTemporary || error.code == .tlsRequired, "\(place): \(error)")
                counts["error", default: 0] += 1
            case .success(let outcome): #expect(Bool(false), "\(place): \(outcome)")
            }
            if proxy.traffic.first?.isCut != true { break }
        }
        // Every kind that can be was there.
        #expect(counts["error", default: 0] > (user == nil ? 70 : 10) && counts["sent", default: 0] >= 1, "\(counts)")
        let uncertain = side == .client ? "uncertain, lost" : "uncertain, taken"
        #expect(user != nil || counts[uncertain, default: 0] >= 1, "\(counts)")
    }

    private static func send(_ letter: MessageData, _ access: SMTPAccess) async -> Result<SendOutcome, ConnectionError>
    {
        do {
            return .success(
                try await offPool { try access.send(letter, from: TestLetter.sender, to: TestLetter.recipient) })
        } catch let error as ConnectionError {
            return .failure(error)
        } catch {
            return .failure(ConnectionError(.unsupported, during: "\(error)"))
        }
    }
}
