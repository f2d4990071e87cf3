import MailConnection
import Foundation
import FundCore
import MailFetch
import TestSupport
import Testing

/// One transcript and what the client must make of it.
struct HostileCase: Sendable, CustomTestStringConvertible {
    enum Verdict: Sendable {
        /// Nothing went wrong: all three messages are here and told to the server.
        case orderly
        /// These messages came, the run ended well, and of the others each failed alone.
        case stores([String])
        /// All came, and none of them as announced: the server is told to do nothing.
        case leaves
        /// The connection was given up, or never used, for one of these reasons.
        case refuses(Set<ConnectionError.Code>)
        /// Either is right; what is stored is what the server sent as a whole.
        case either
    }

    var transcript: String
    var verdict: Verdict
    /// Messages beyond those of the transcript that it may store.
    var allowed: [String] = []
    var after: MailboxAccess.After = .delete
    /// Deadlines of seconds, for servers that hold us up.
    var isHurried = false
    /// The server got rid of at most so many bytes.
    var maxSentBytes: Int

    init(
        _ transcript: String, _ verdict: Verdict, allowed: [String] = [], after: MailboxAccess.After = .delete,
        isHurried: Bool = false, maxSentBytes: Int = 30_000_000
    ) {
        (self.transcript, self.verdict, self.allowed, self.after) = (transcript, verdict, allowed, after)
        (self.isHurried, self.maxSentBytes) = (isHurried, maxSentBytes)
    }

    var testDescription: String { transcript }
    var isIMAP: Bool { !transcript.hasPrefix("pop3") }
}

/// A scripted server and the real client in front of it.
struct HostileHarness {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Transcripts").path

    let server: ScriptedServer
    var mailbox: MailboxHarness

    init(_ transcript: String, tls: TLSPolicy = .off, after: MailboxAccess.After = .delete, isHurried: Bool = false)
        throws
    {
        try self.init(
            ServerScript(file: "\(Self.folder)/\(transcript).txt"), transcript.hasPrefix("pop3") ? .pop3 : .imap,
            tls: tls, after: after, isHurried: isHurried)
    }

    init(
        _ script: ServerScript, _ scheme: MailServerAddress.Scheme, tls: TLSPolicy = .off,
        after: MailboxAccess.After = .delete, isHurried: Bool = false
    ) throws {
        server = try ScriptedServer(script)
        mailbox = try MailboxHarness(scheme, port: server.port, user: "ann", after: after, tls: tls)
        mailbox.access.maxMessageBytes = 1_000_000
        mailbox.diesWithTheLine = true
        mailbox.access.deadlines.secondLook = .milliseconds(1)
        mailbox.access.deadlines.reconnecting = .milliseconds(1)
        if isHurried {
            var deadlines = FetchDeadlines()
            deadlines.connection.loginResponse = .seconds(1)
            deadlines.connection.login = .seconds(3)
            deadlines.stall = .seconds(1)
            deadlines.response = .seconds(2)
            deadlines.secondLook = .milliseconds(1)
            deadlines.reconnecting = .milliseconds(1)
            mailbox.access.deadlines = deadlines
        }
    }

    var messages: [String: [UInt8]] { server.script.messages }

    /// Codes of the failures that ended the run, a connection or a message.
    static func codes(_ poll: MailboxHarness.Poll) -> Set<ConnectionError.Code> {
        var codes = Set(poll.failures.compactMap(\.self))
        if let code = poll.code { codes.insert(code) }
        for case .reconnecting(let code) in poll.notices { codes.insert(code) }
        return codes
    }

    /// UIDs and message numbers that the client asked the server to delete.
    var deletions: Set<Int> {
        var numbers: Set<Int> = []
        for line in server.lines {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "DELE", words.count == 2 { numbers.insert(Int(words[1]) ?? -1) }
            guard words.count > 3, words[1] == "UID", words[2] == "STORE" || words[2] == "EXPUNGE" else { continue }
            for range in words[3].split(separator: ",") {
                let ends = range.split(separator: ":").compactMap { Int($0) }
                if let first = ends.first, let last = ends.last { numbers.formUnion(first...last) }
            }
        }
        return numbers
    }

    /// True when something was sent that looks like a login.
    var triedToLogIn: Bool {
        server.lines.contains { line in
            let words = line.uppercased().split(separator: " ").prefix(2)
            return words.contains { ["LOGIN", "AUTHENTICATE", "USER", "PASS", "AUTH", "APOP"].contains($0) }
        }
    }
}
