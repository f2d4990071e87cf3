import FundCore
import MailConnection
import TestSupport

@testable import MailSend

/// A scripted server that takes letters, but for the replies that a test changes.
struct SMTPScript {
    var greeting = "220 mail.example ESMTP"
    /// Lines of the answer to EHLO behind its first.
    var keywords = ["AUTH PLAIN LOGIN", "SIZE 1000000"]
    /// Replies of verbs, `354` of DATA among them, as lines of a transcript without `S: `.
    var replies: [String: [String]] = [:]
    /// Lines of a transcript instead of the reply to the end of a letter.
    var end = ["S: 250 2.0.0 Ok: queued as 1"]
    /// Lines of a transcript in front of the others.
    var others: [String] = []

    static let user = "ann"
    static let password = "sesame"

    private func rule(_ pattern: String, _ verb: String, _ usual: String) -> [String] {
        ["ON \(pattern)"] + (replies[verb] ?? [usual]).map { "S: \($0)" } + ["END"]
    }

    func start() throws -> ScriptedServer {
        let hello = ["mail.example"] + keywords
        var lines = others + ["S: \(greeting)", "ON EHLO *"]
        lines += hello.enumerated().map { "S: 250\($0 + 1 < hello.count ? "-" : " ")\($1)" } + ["END"]
        lines += ["ON AUTH PLAIN", "S| 334 \\r\\n", "C: *"] + (replies["AUTH"] ?? ["235 2.7.0 ok"]).map { "S: \($0)" }
        lines += ["END"]
        lines += rule("MAIL FROM:*", "MAIL", "250 2.1.0 ok") + rule("RCPT TO:*", "RCPT", "250 2.1.5 ok")
        lines += ["ON DATA"] + (replies["DATA"] ?? ["354 go on"]).map { "S: \($0)" }
        if replies["DATA"] == nil { lines += ["C: ."] + end }
        lines += ["END"] + rule("RSET", "RSET", "250 2.0.0 ok")
        lines += ["ON QUIT", "S: 221 2.0.0 bye", "CUT", "END"]
        // Lines of a letter.
        lines += ["ON *", "END"]
        return try ScriptedServer(ServerScript(lines.joined(separator: "\n"), including: "/"))
    }
}

extension SMTPAccess {
    /// The server of a test at this port, with the usual login.
    static func test(
        _ port: Int, scheme: SubmissionAddress.Scheme = .smtp, tls: TLSPolicy = .off, user: String? = SMTPScript.user,
        password: String = SMTPScript.password
    ) -> SMTPAccess {
        let server = HostAndPort(host: "localhost", port: UInt16(port))
        var access = SMTPAccess(
            address: SubmissionAddress(scheme: scheme, server: server),
            identity: user.map { LoginIdentity(user: $0, credentials: .password(password)) }, tls: tls)
        access.helloName = "client.example"
        access.deadlines.reply = .seconds(10)
        access.deadlines.acceptance = .seconds(10)
        return access
    }

    /// Hands over one letter on a connection of its own. Blocks.
    func send(
        _ message: MessageData, from sender: OutgoingAddress?, to recipient: OutgoingAddress
    ) throws(ConnectionError) -> SendOutcome {
        let connection = try connect(Cancellation())
        let outcome = try connection.send(message, from: sender, to: recipient)
        connection.quit()
        return outcome
    }
}

/// A letter of a test.
enum TestLetter {
    static func address(_ text: String) -> OutgoingAddress {
        do { return try OutgoingAddress(text) } catch { preconditionFailure("\(error)") }
    }

    static let sender = address("funds@corp.example")
    static let recipient = address("ann@example.com")

    static func data(_ text: String = "Hello\r\n.\r\n..x\r\n") throws -> MessageData {
        try MessageData(Array("Subject: x\r\n\r\n\(text)".utf8))
    }
}
