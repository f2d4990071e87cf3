import MailConnection
import FundCore
import FundServer
import MailFetch
import MailWatch
import TestSupport
import Testing

@testable import FundmailCLI

/// Mailboxes as an administrator may describe them.
@Suite(.startsPrograms) struct MailboxDraftTests {
    private static func mailbox(_ name: String) -> MailboxConfiguration {
        MailboxConfiguration(
            name: name, server: MailServerAddress(scheme: .imaps, user: name, host: "mail.corp.example"),
            credential: .passwordEnvironment("P"), trust: .vouched)
    }

    private static func problem(_ change: (inout MailboxProposal) -> Void) -> MailboxField? {
        var proposal = MailboxProposal()
        (proposal.host, proposal.user, proposal.password) = ("mail.corp.example", "Funds@corp.example", "sesame")
        change(&proposal)
        do throws(FieldProblem<MailboxField>) {
            _ = try MailboxDraft(proposal, among: ["funds", "funds-2"].map(mailbox))
            return nil
        } catch { return error.field }
    }

    @Test func namesTheWrongField() {
        #expect(Self.problem { _ in } == nil)
        #expect(Self.problem { $0.host = "" } == .host)
        #expect(Self.problem { $0.host = "a@b" } == .host)
        #expect(Self.problem { $0.host = "a/b" } == .host)
        #expect(Self.problem { $0.host = "a:1" } == .host)
        #expect(Self.problem { $0.host = "mail.corp.example:993" } == .host)
        #expect(Self.problem { $0.host = "2001:db8::1" } == nil)
        #expect(Self.problem { $0.scheme = "file" } == .host)
        #expect(Self.problem { $0.port = 0 } == .port)
        #expect(Self.problem { $0.port = 65536 } == .port)
        #expect(Self.problem { $0.user = "" } == .user)
        #expect(Self.problem { $0.user = "a\r\nb" } == .user)
        #expect(Self.problem { $0.password = "" } == .password)
        #expect(Self.problem { $0.folder = "a\nb" } == .folder)
        #expect(Self.problem { ($0.scheme, $0.folder) = ("pop3s", "Funds") } == .folder)
        #expect(Self.problem { $0.folder = "Fünf & x/y" } == nil)
        #expect(Self.problem { $0.name = "funds" } == .name)
        #expect(Self.problem { $0.user = "funds-2" } == .duplicate)
        #expect(Self.problem { $0.name = "../x" } == .name)
        #expect(Self.problem { $0.name = "." } == .name)
        #expect(Self.problem { $0.ownReceivedFields = 21 } == .ownReceived)
        #expect(Self.problem { $0.authority = "x" } == .authority)
    }

    @Test func findsAName() throws {
        var proposal = MailboxProposal()
        (proposal.host, proposal.user, proposal.password) = ("mail.corp.example", "Funds@corp.example", "sesame")
        #expect(try MailboxDraft(proposal, among: []).name == "funds")
        #expect(try MailboxDraft(proposal, among: ["funds", "funds-2"].map(Self.mailbox)).name == "funds-3")
        proposal.user = "基金"
        #expect(try MailboxDraft(proposal, among: []).name == "mail")
    }
}
