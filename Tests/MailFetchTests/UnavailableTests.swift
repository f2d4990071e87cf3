import Ingest
import MailFetch
import TestSupport
import Testing

/// Messages that the server lists and does not give: those behind them come all the same, and the server is not asked without end.
@Suite struct UnavailableTests {
    private static let imapRefusals = ["NO [UNAVAILABLE] its storage does not answer", "NO broken"]
    private static let popRefusals = ["-ERR [SYS/TEMP] its storage does not answer", "-ERR broken"]

    /// A mailbox of `count` messages, of which the first `bad` are not to be had. Asked for several at once, it gives none.
    private func imap(_ count: Int, bad: Int, _ refusal: String) throws -> HostileTrial {
        let listing = (1...count).map { "S: * \($0) FETCH (UID \($0) FLAGS () RFC822.SIZE @size(one))\n" }.joined()
        var text = "ON * UID FETCH 1:* (UID FLAGS RFC822.SIZE)\n\(listing)S: $tag OK listed\nEND\n"
        for uid in (bad + 1)..<max(count + 1, bad + 1) {
            text += "ON * UID FETCH \(uid) (UID BODY.PEEK[])\nS: * \(uid) FETCH (UID \(uid) BODY[] {@one})\n"
            text += "S: $tag OK fetched\nEND\n"
        }
        if count > 256, bad == 256 {
            text += "ON * UID FETCH 257:* (UID BODY.PEEK[])\n"
            for uid in 257...count { text += "S: * \(uid) FETCH (UID \(uid) BODY[] {@one})\n" }
            text += "S: $tag OK fetched\nEND\n"
        }
        text += "ON * UID FETCH * (UID BODY.PEEK[])\nS: $tag \(refusal)\nEND\n"
        let script = try ServerScript(
            text + "INCLUDE imap-login.txt\nINCLUDE imap-mailbox.txt\n", including: HostileTrial.folder)
        return try HostileTrial(script, .imap)
    }

    private func pop(_ count: Int, bad: Int, _ refusal: String) throws -> HostileTrial {
        func list(_ line: (Int) -> String) -> String {
            "S: +OK\n" + (1...count).map { "S: \($0) \(line($0))\n" }.joined() + "S: .\nEND\n"
        }
        var text = "ON UIDL\n" + list { "m\($0)" } + "ON LIST\n" + list { _ in "@size(one)" }
        for number in (bad + 1)..<max(count + 1, bad + 1) {
            text += "ON RETR \(number)\nS: +OK\nS| @text(one).\\r\\n\nEND\n"
        }
        text += "ON RETR *\nS: \(refusal)\nEND\n"
        let script = try ServerScript(
            text + "INCLUDE pop3-login.txt\nINCLUDE pop3-mailbox.txt\n", including: HostileTrial.folder)
        return try HostileTrial(script, .pop3)
    }

    @Test(arguments: imapRefusals + popRefusals, [(14, 12), (300, 256)])
    func thoseBehindCome(_ refusal: String, _ counts: (all: Int, bad: Int)) async throws {
        let isPOP3 = refusal.hasPrefix("-")
        let trial = try isPOP3 ? pop(counts.all, bad: counts.bad, refusal) : imap(counts.all, bad: counts.bad, refusal)
        defer { trial.server.stop() }
        for run in 1...2 {
            let lines = trial.server.lines.count
            let poll = try await trial.mailbox.poll()
            #expect(poll.error == nil && poll.count == counts.all - counts.bad, "run \(run): \(poll)")
            #expect(poll.failures == Array(repeating: .messageUnavailable, count: counts.bad))
            #expect(poll.waiting?.count == counts.bad)
            // Each is asked for again by the next run, but not without end.
            let asked = trial.server.lines.dropFirst(lines).filter {
                $0.contains("BODY.PEEK[]") || $0.hasPrefix("RETR")
            }
            #expect(asked.count > 10 && asked.count <= counts.all + 10, "run \(run): \(asked.count)")
        }
        #expect(trial.server.record.problems.isEmpty, "\(trial.server.record.problems)")
    }

    /// A server that gives nothing at all is left alone.
    @Test(arguments: imapRefusals + popRefusals)
    func aServerThatGivesNothing(_ refusal: String) async throws {
        let isPOP3 = refusal.hasPrefix("-")
        let trial = try isPOP3 ? pop(1000, bad: 1000, refusal) : imap(1000, bad: 1000, refusal)
        defer { trial.server.stop() }
        let poll = try await trial.mailbox.poll()
        #expect(
            poll.code == (refusal.contains("[") ? .throttled : .commandRefused), "\(poll.count) \(poll.code as Any)")
        let asked = trial.server.lines.filter { $0.contains("BODY.PEEK[]") || $0.hasPrefix("RETR") }
        #expect(asked.count < 500, "\(asked.count)")
    }
}
