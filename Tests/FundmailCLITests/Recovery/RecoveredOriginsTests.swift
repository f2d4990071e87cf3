import FundCore
import Testing

@testable import FundmailCLI

/// Who is believed when mail is filed again from the log alone.
@Suite struct RecoveredOriginsTests {
    private static let text = """
        store: ./store
        mailboxes:
          - name: funds
            url: imaps://funds%40corp.example@mail.corp.example/INBOX
            password_env: HOME
            trust: {authserv_id: mx.corp.example, require: dmarc}
        """

    private func origins(_ unvouched: UnvouchedMail) throws -> RecoveredOrigins {
        RecoveredOrigins(try ConfigurationDecoder.decode(Self.text, file: "fundmail.yaml"), unvouched: unvouched)
    }

    enum Belief: Sendable { case vouched, asMailbox, nobody }

    private func belief(_ policy: RoutingPolicy) -> Belief {
        switch policy.trust {
        case .vouched: .vouched
        case .dmarc(.named("mx.corp.example"), _, _): .asMailbox
        default: .nobody
        }
    }

    /// By what a record says: what is believed without a further word, and with `--trust-files`.
    @Test(arguments: [
        ("vouched:mail/1.eml", "mail/1.eml", Belief.vouched, Belief.vouched),
        ("vouched:funds/1.eml", "funds/1.eml", .vouched, .vouched),
        ("file:mail/1.eml", "mail/1.eml", .nobody, .nobody),
        ("file:funds/7/12", "funds/7/12", .nobody, .nobody),
        ("funds/7/12", "7/12", .asMailbox, .asMailbox),
        ("funds/uidl-1", "uidl-1", .asMailbox, .asMailbox),
        // A mailbox that is not there any more, or a path in an older record.
        ("other/7/12", "other/7/12", .nobody, .vouched),
        ("other/uidl-1", "other/uidl-1", .nobody, .vouched),
        ("mail/1.eml", "mail/1.eml", .nobody, .vouched),
        ("", "", .nobody, .vouched),
    ])
    func whatIsNotVouchedForWaits(origin: String, place: String, plain: Belief, trusting: Belief) throws {
        let found = try origins(.waits).place(origin, isProven: true)
        #expect(found.reference.place == place && belief(found.policy) == plain)
        #expect(try belief(origins(.isTrusted).place(origin, isProven: true).policy) == trusting)
        let mailbox = RoutingPolicy(trust: .dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: 0))
        let asMailbox = try belief(origins(.asMailbox(mailbox)).place(origin, isProven: true).policy)
        #expect(asMailbox == (plain == .vouched ? .vouched : .asMailbox))
        // Bytes that may have come by mail say what their sender liked.
        for unvouched in [UnvouchedMail.waits, .isTrusted, .asMailbox(mailbox)] {
            let unproven = try origins(unvouched).place(origin, isProven: false)
            #expect(belief(unproven.policy) == .nobody && unproven.reference.mailbox == nil)
        }
    }

    @Test(arguments: [
        (SourceReference(place: "a.eml"), TrustPolicy.vouched, "vouched:a.eml"),
        (
            SourceReference(place: "a.eml"), .dmarc(authservID: .topmostWithoutID, ownReceivedFields: 0),
            "file:a.eml"
        ),
        (SourceReference(mailbox: "funds", place: "7/12"), .vouched, "funds/7/12"),
    ])
    func aRecordSaysWhatItIsOf(reference: SourceReference, trust: TrustPolicy, text: String) {
        let origin = RecordOrigin(reference, trust: trust)
        #expect(origin.text == text && RecordOrigin(text) == origin)
    }
}
