import FundCore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// The replies of a server, at each verb, and what a letter's outcome is then.
@Suite struct SendOutcomeTests {
    private static func outcome(_ script: SMTPScript, access change: (inout SMTPAccess) -> Void = { _ in }) async throws
        -> (outcome: SendOutcome, lines: [String])
    {
        let server = try script.start()
        defer { server.stop() }
        var access = SMTPAccess.test(server.port)
        change(&access)
        let ready = access
        let letter = try TestLetter.data()
        let outcome = try await offPool {
            try ready.send(letter, from: TestLetter.sender, to: TestLetter.recipient)
        }
        #expect(await server.waitUntilIdle())
        #expect(server.record.problems.isEmpty, "\(server.record.problems)")
        return (outcome, server.lines)
    }

    @Test func aLetterIsTaken() async throws {
        let (outcome, lines) = try await Self.outcome(SMTPScript())
        #expect(outcome == .sent(SMTPReply(code: 250, text: "2.0.0 Ok: queued as 1")))
        let letter = try TestLetter.data()
        #expect(
            lines == [
                "EHLO client.example", "AUTH PLAIN", "AGFubgBzZXNhbWU=",
                "MAIL FROM:<funds@corp.example> SIZE=\(letter.size)", "RCPT TO:<ann@example.com>", "DATA",
                "Subject: x", "", "Hello", "..", "...x", ".", "QUIT",
            ])
    }

    /// No keyword is needed: neither SIZE nor 8BITMIME nor SMTPUTF8 nor a login.
    @Test func aServerThatKnowsNothing() async throws {
        var script = SMTPScript()
        script.keywords = []
        let (outcome, lines) = try await Self.outcome(script) { $0.identity = nil }
        guard case .sent = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(lines.prefix(2) == ["EHLO client.example", "MAIL FROM:<funds@corp.example>"])
    }

    private static let verbs = ["MAIL", "RCPT", "DATA", "end"]

    @Test(
        arguments: verbs, ["421 4.3.2 going down", "450 4.2.0 greylisted", "452 4.2.2 full", "550 5.1.1 no", "554 no"])
    func refusals(verb: String, reply: String) async throws {
        var script = SMTPScript()
        if verb == "end" { script.end = ["S: \(reply)"] } else { script.replies[verb] = [reply] }
        let (outcome, lines) = try await Self.outcome(script)
        let code = try #require(Int(reply.prefix(3)))
        let expected = SMTPReply(code: code, text: String(reply.dropFirst(4)))
        let refusal: SendOutcome =
            verb == "MAIL" ? .senderRefused(expected, isHeldBack: false) : .failed(expected)
        #expect(outcome == (code < 500 ? .deferred(expected) : refusal))
        // The letter is begun anew, unless the server ends the connection or the letter has ended by itself.
        #expect(lines.contains("RSET") == (verb != "end" && code != 421), "\(lines)")
        #expect(lines.contains(".") == (verb == "end"))
    }

    /// `MAIL FROM` tells the size of a letter; the refusal of a sender may come at `RCPT TO`.
    @Test(arguments: [
        ("MAIL", "552 too big", false), ("MAIL", "554 5.3.4 too big", false),
        ("RCPT", "550 5.1.8 no such domain", true), ("RCPT", "553 5.1.7 no such sender", true),
        ("RCPT", "554 5.7.1 Relay access denied", false),
        ("DATA", "550 5.1.8 no such domain", true), ("end", "550 5.1.8 no such domain", false),
    ])
    func refusalsOfTheSender(verb: String, reply: String, isOfSender: Bool) async throws {
        var script = SMTPScript()
        if verb == "end" { script.end = ["S: \(reply)"] } else { script.replies[verb] = [reply] }
        let code = try #require(Int(reply.prefix(3)))
        let expected = SMTPReply(code: code, text: String(reply.dropFirst(4)))
        let (outcome, _) = try await Self.outcome(script)
        #expect(outcome == (isOfSender ? .senderRefused(expected, isHeldBack: true) : .failed(expected)))
    }

    /// A reply of several lines is one text.
    @Test func longReplies() async throws {
        var script = SMTPScript()
        script.replies["RCPT"] = ["550-5.7.1 We do not", "550-5.7.1 \u{1b}[2Jlike you", "550 5.7.1 at all"]
        let (outcome, _) = try await Self.outcome(script)
        #expect(
            outcome == .failed(SMTPReply(code: 550, text: "5.7.1 We do not 5.7.1  [2Jlike you 5.7.1 at all")))
    }

    /// Text that is no reply, or one of another verb, before the letter is out: the server surely has nothing.
    @Test(arguments: [
        ("MAIL", ["hello"]), ("MAIL", ["354 go on"]), ("MAIL", ["250-ok", "251 ok"]), ("RCPT", ["999 ok"]),
        ("RCPT", ["2500 ok"]), ("RCPT", ["25"]), ("DATA", ["250 ok"]), ("MAIL", ["250 ok", "250 ok"]),
    ])
    func violations(verb: String, replies: [String]) async throws {
        var script = SMTPScript()
        script.replies[verb] = replies
        let error = await #expect(throws: ConnectionError.self) { try await Self.outcome(script) }
        #expect(error?.code == .protocolViolation, "\(error as Any)")
    }

    /// From the end of the letter on, only the server knows.
    @Test(arguments: [["CUT"], ["RESET"], ["S: hello"], ["S: 354 more"], ["S: 250-ok", "CUT"], ["SILENCE"]])
    func uncertainty(end: [String]) async throws {
        var script = SMTPScript()
        script.end = end
        let (outcome, lines) = try await Self.outcome(script) { $0.deadlines.acceptance = .milliseconds(200) }
        guard case .uncertain(let cause) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(!cause.isEmpty && lines.contains("."))
    }

    /// A reply that comes before the end of a letter is none to it: the letter was not taken, whatever it says.
    @Test(arguments: [("250 2.0.0 ok", false), ("451 4.3.0 later", true)])
    func earlyReplies(reply: String, isRefusal: Bool) async throws {
        var script = SMTPScript()
        script.others = ["ON DATA", "S| 354 go on\\r\\n\(reply)\\r\\n", "END"]
        let server = try script.start()
        defer { server.stop() }
        let access = SMTPAccess.test(server.port)
        let letter = try TestLetter.data()
        let result: Result<SendOutcome, any Error>
        do {
            result = .success(
                try await offPool {
                    try access.send(letter, from: TestLetter.sender, to: TestLetter.recipient)
                })
        } catch { result = .failure(error) }
        switch result {
        case .success(let outcome):
            #expect(isRefusal && outcome == .deferred(SMTPReply(code: 451, text: "4.3.0 later")))
        case .failure(let error):
            #expect(!isRefusal && (error as? ConnectionError)?.code == .protocolViolation, "\(error)")
        }
        #expect(await server.waitUntilIdle())
        #expect(!server.lines.contains("."), "\(server.lines)")
    }

    /// A server that refuses a letter in the middle of it, and hangs up, says why.
    @Test func refusalInTheMiddle() async throws {
        var script = SMTPScript()
        script.others = ["ON DATA", "S: 354 go on", "S: 552 5.3.4 too big", "CUT", "END"]
        let server = try script.start()
        defer { server.stop() }
        let access = SMTPAccess.test(server.port)
        let letter = try TestLetter.data(String(repeating: "A line of a long letter.\r\n", count: 400_000))
        let outcome = try await offPool {
            try access.send(letter, from: TestLetter.sender, to: TestLetter.recipient)
        }
        #expect(outcome == .failed(SMTPReply(code: 552, text: "5.3.4 too big")))
    }

    /// Several letters on one connection, refused ones among them.
    @Test func oneConnectionForMany() async throws {
        var script = SMTPScript()
        script.others = ["ON RCPT TO:<no@*", "S: 550 no", "END"]
        let server = try script.start()
        defer { server.stop() }
        let access = SMTPAccess.test(server.port)
        let letter = try TestLetter.data()
        let outcomes = try await offPool {
            let connection = try access.connect(Cancellation())
            defer { connection.quit() }
            return try ["a@example.com", "no@example.com", "b@example.com"].map { address in
                try connection.send(letter, from: nil, to: TestLetter.address(address))
            }
        }
        let kinds = outcomes.map { outcome in if case .sent = outcome { "sent" } else { "failed" } }
        #expect(kinds == ["sent", "failed", "sent"] && server.connections == 1)
        #expect(await server.waitUntilIdle())
        #expect(server.lines.count { $0 == "." } == 2 && server.lines.count { $0.hasPrefix("MAIL FROM:<> SIZE") } == 3)
    }

    /// `doctor` asks for the sender and leaves.
    @Test(arguments: [("250 ok", true), ("550 5.7.60 not yours", false)])
    func aSenderIsChecked(reply: String, isTaken: Bool) async throws {
        var script = SMTPScript()
        script.replies["MAIL"] = [reply]
        let server = try script.start()
        defer { server.stop() }
        let access = SMTPAccess.test(server.port)
        let (answer, size) = try await access.withConnection(limit: .seconds(20)) {
            connection throws(ConnectionError) in
            (try connection.check(sender: TestLetter.sender), connection.maxMessageBytes)
        }
        #expect(answer.isDone == isTaken && size == 1_000_000)
        #expect(await server.waitUntilIdle())
        #expect(server.lines.suffix(3) == ["MAIL FROM:<funds@corp.example>", "RSET", "QUIT"])
    }

    @Test func aSlowServerIsGivenUp() async throws {
        var script = SMTPScript()
        script.others = ["ON RCPT *", "SILENCE", "END"]
        let server = try script.start()
        defer { server.stop() }
        let access = SMTPAccess.test(server.port)
        let letter = try TestLetter.data()
        let error = await #expect(throws: ConnectionError.self) {
            try await access.withConnection(limit: .milliseconds(300)) { connection throws(ConnectionError) in
                try connection.send(letter, from: nil, to: TestLetter.recipient)
            }
        }
        #expect(error?.code == .timedOut, "\(error as Any)")
    }
}
