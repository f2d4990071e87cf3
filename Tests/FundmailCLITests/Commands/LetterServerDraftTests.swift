import FundCore
import FundServer
import MailConnection
import MailSend
import TestSupport
import Testing

@testable import FundmailCLI

/// Servers for letters as an administrator may describe them, and how they are written into the configuration.
struct LetterServerDraftTests {
    private static func proposal(_ change: (inout LetterServerProposal) -> Void = { _ in }) -> LetterServerProposal {
        var proposal = LetterServerProposal()
        (proposal.host, proposal.user, proposal.password) = ("mail.corp.example", "funds@corp.example", "sesame")
        proposal.from = "基金 <Funds@corp.example>"
        change(&proposal)
        return proposal
    }

    private static func problem(_ change: (inout LetterServerProposal) -> Void) -> LetterServerField? {
        do throws(FieldProblem<LetterServerField>) {
            _ = try LetterServerDraft(proposal(change))
            return nil
        } catch { return error.field }
    }

    @Test func namesTheWrongField() {
        #expect(Self.problem { _ in } == nil)
        #expect(Self.problem { ($0.user, $0.password) = ("", "") } == nil)
        #expect(Self.problem { $0.host = "2001:db8::1" } == nil)
        #expect(Self.problem { ($0.scheme, $0.host) = ("local", "localhost") } == nil)
        for host in ["", "a@b", "a/b", "mail.corp.example:465", "a\r\nb"] {
            #expect(Self.problem { $0.host = host } == .host, "\(host)")
        }
        #expect(Self.problem { $0.scheme = "http" } == .host)
        #expect(Self.problem { $0.scheme = "local" } == .host, "only on this machine")
        #expect(Self.problem { $0.port = 0 } == .port)
        #expect(Self.problem { $0.port = 65536 } == .port)
        #expect(Self.problem { $0.user = "a\nb" } == .user)
        #expect(Self.problem { $0.user = "" } == .password)
        #expect(Self.problem { $0.password = "" } == .password)
        #expect(Self.problem { $0.password = "a\nb" } == .password)
        for from in ["", "funds", "Fundmail <funds@corp.example", "a@b.example\r\nBcc: x@y.example"] {
            #expect(Self.problem { $0.from = from } == .from, "\(from)")
        }
        #expect(Self.problem { $0.authority = "x" } == .authority)
    }

    /// The lines are read back as it is meant, and nothing else changes.
    @Test(arguments: [
        "store: s\n", "store: s", "store: s\r\n",
        "# c\nstore: s\nmailboxes: []\n#smtp:\n#  url: x\n#  from: y\n\n#server:\n",
        ConfigurationTemplate.text,
    ])
    func isReadBack(_ text: String) throws {
        let changes: [(inout LetterServerProposal) -> Void] = [
            { _ in }, { ($0.user, $0.password) = ("", "") },
            { ($0.host, $0.port, $0.scheme) = ("2001:db8::1", 2525, "smtp") },
            { ($0.host, $0.port, $0.scheme) = ("localhost", 25, "local") },
            { ($0.user, $0.from) = ("a: #b\"c", "\"A, B: #\" <funds@corp.example>") },
            { $0.authority = "-----BEGIN CERTIFICATE-----" },
        ]
        for change in changes {
            let draft = try LetterServerDraft(Self.proposal(change))
            let entry = draft.entry(passwordFile: "secrets/smtp", authorityFile: "secrets/smtp.pem")
            let (new, configuration) = try ConfigurationEditor(text: text, file: "/etc/fm/fundmail.yaml").adding(entry)
            let smtp = try #require(configuration.smtp)
            #expect(smtp.address == draft.address && smtp.from == draft.from && smtp.usesTLS == draft.usesTLS)
            #expect(smtp.login?.user == draft.login?.user)
            // Characters of Swift take a CR with its LF for one.
            var lines = new.utf8.split(separator: .lf).map { String(Substring($0)) }[...]
            for line in text.utf8.split(separator: .lf).map({ String(Substring($0)) }) {
                let place = try #require(lines.firstIndex(of: line), "\(line) is gone")
                lines = lines[(place + 1)...]
            }
            #expect(!new.contains("sesame"))
        }
    }

    @Test(arguments: ["store: s\nsmtp:\n  url: smtps://a.example\n  from: a@b.example\n", "{store: s}\n"])
    func leavesAloneWhatCannotBeAddedTo(_ text: String) throws {
        let draft = try LetterServerDraft(Self.proposal())
        let entry = draft.entry(passwordFile: "secrets/smtp", authorityFile: nil)
        #expect(throws: NotEditable.self) {
            try ConfigurationEditor(text: text, file: "/etc/fm/fundmail.yaml").adding(entry)
        }
    }
}
