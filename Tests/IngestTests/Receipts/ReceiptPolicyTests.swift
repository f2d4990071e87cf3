import FundCore
import TestSupport
import Testing

@testable import Ingest

/// Whose mail is answered: one mail that is, and everything that keeps it from being answered, each alone.
@Suite struct ReceiptPolicyTests {
    private static let now = Timestamp(1_795_900_000)
    private static let pass = "mx.corp.example; dmarc=pass header.from=example.com"
    private static let trust = TrustPolicy.dmarc(
        authservID: .named("mx.corp.example"), ownReceivedFields: 0, submissionDomains: ["corp.example"])

    /// A mail and what surrounds it. Its decision is the router's.
    struct Mail: Sendable {
        var header = Mail.header(from: "ann@example.com", results: pass)
        var trust = ReceiptPolicyTests.trust
        /// The policy of the mailbox as it is now, by which the router decides; nil where it is that of then.
        var trustNow: TrustPolicy?
        var ofMailbox = ReceiptChoice.all
        var own: ReceiptChoice?
        var isDisabled = false
        var answered: [String] = []
        var ourAddresses = ["funds@corp.example"]
        var reference = SourceReference(mailbox: "funds", place: "7/1")
        var receivedAt: Timestamp?
        var kept: MisrouteRecord.ID?
        var refusal: Reason?
        /// The owner of the fund into which an administrator files it; nil where the router decides.
        var owner: User.ID?

        static func header(from: String, results: String?, subject: String = "[Fund1] Q3") -> MessageHeader {
            var header = RouterTests.header(from: from, subjects: [subject])
            header.date = ReceiptPolicyTests.now
            header.trace = results.map { [.authenticationResults($0)] } ?? []
            return header
        }

        var directory: RoutingDirectory {
            var ann = User(id: 1, email: "ann@example.com", isDisabled: isDisabled)
            ann.receipts = own
            return RoutingDirectory(
                users: [ann, User(id: 2, email: "ben@example.com"), User(id: 3, email: "ann@corp.example")],
                addresses: [
                    ("ann@example.com", 1), ("ben@example.com", 2), ("ann@corp.example", 3), ("änn@example.com", 1),
                    ("funds@corp.example", 3),
                ].compactMap { text, user in EmailAddress(text).map { (address: $0, user: User.ID(user)) } },
                funds: [
                    Fund(id: 11, owner: 1, name: "Fund1"), Fund(id: 12, owner: 1, name: "Twin"),
                    Fund(id: 13, owner: 1, name: "Other", aliases: ["twin"]), Fund(id: 21, owner: 2, name: "Fund1"),
                    Fund(id: 31, owner: 3, name: "Fund1"),
                ],
                answered: Set(answered.compactMap { EmailAddress($0) }))
        }

        var request: ReceiptRequest? {
            var policy = RoutingPolicy(trust: trustNow ?? trust)
            policy.receipts = ofMailbox
            let content = ParsedMessage(header: header)
            let parsed =
                refusal.map { ParseResult.refused($0, detail: "x", header: header, defects: []) } ?? .message(content)
            var decision = Router(directory: directory, policy: policy).route(parsed)
            if let owner {
                decision = RoutingDecision(outcome: .filed)
                (decision.user, decision.fund) = (directory.user(owner), directory.funds(of: owner).first)
            }
            var message = RoutedMessage(
                reference: reference, spooled: SpoolDirectory(path: "/tmp").makeWriter().finish(), parsed: parsed,
                decision: decision, policy: policy)
            (message.receivedAt, message.kept) = (receivedAt, kept)
            let own = Set(ourAddresses.compactMap { EmailAddress($0) })
            return ReceiptPolicy(ownAddresses: own)
                .request(for: message, trust: trust, directory, now: ReceiptPolicyTests.now)
        }

        func with(_ change: (inout Mail) -> Void) -> Mail {
            var mail = self
            change(&mail)
            return mail
        }
    }

    private func check(_ name: String, isAnswered: Bool, _ change: (inout Mail) -> Void) {
        let request = Mail().with(change).request
        #expect(request?.recipient.description == (isAnswered ? "ann@example.com" : nil), "\(name)")
    }

    @Test func mailThatIsAnswered() throws {
        func yes(_ name: String, _ change: (inout Mail) -> Void) { check(name, isAnswered: true, change) }
        yes("as it is") { _ in }
        yes("filed, where that is chosen") { $0.ofMailbox = .filed }
        yes("filed, where problems are chosen: there may be no room") { $0.ofMailbox = .problems }
        yes("a user's choice counts more") { ($0.ofMailbox, $0.own) = (.off, .filed) }
        yes("no tag") { $0.header.subjects = ["Q3"] }
        yes("an unknown fund") { ($0.header.subjects, $0.ofMailbox) = (["[nope]"], .problems) }
        yes("two funds of one name") { $0.header.subjects = ["[twin]"] }
        yes("two subjects") { $0.header.subjects = ["[Fund1]", "[Other]"] }
        yes("too large") { $0.refusal = .tooLarge }
        yes("Auto-Submitted: no") { $0.header.automatic.autoSubmitted = "no" }
        yes("Precedence: first-class") { $0.header.automatic.precedence = "first-class" }
        yes("three days old") { $0.header.date = Self.now - .seconds(3 * 86400) }
        yes("of tomorrow") { $0.header.date = Self.now + .seconds(86400) }
        yes("filed later, however old") { ($0.kept, $0.owner, $0.header.date) = (5, 1, nil) }
        yes("filed later counts as a problem") { ($0.kept, $0.owner, $0.ofMailbox) = (5, 1, .problems) }
        yes("filed later, when no proof is asked for any more") { ($0.kept, $0.trustNow) = (5, .vouched) }
        yes("marked, where no proof is asked for") {
            ($0.trust, $0.answered, $0.header.trace) = (.vouched, ["ann@example.com"], [])
        }
        let chosen = Mail().with { $0.own = .filed }
        #expect(chosen.request?.choice == .filed)
        let detailed = Mail().with { $0.header = Mail.header(from: "Ann+x@Example.com", results: Self.pass) }
        #expect(detailed.request?.recipient.description == "ann+x@example.com")
        // A login counts as `SenderTrust` has it.
        var login = Mail.header(
            from: "ann@corp.example", results: "mx.corp.example; auth=pass smtp.auth=ann@corp.example")
        login.trace.insert(.received("from x by mx.corp.example with ESMTPSA id 1"), at: 1)
        let loggedIn = Mail().with { $0.header = login }
        #expect(loggedIn.request != nil)
    }

    @Test func mailThatIsNot() {
        func no(_ name: String, _ change: (inout Mail) -> Void) { check(name, isAnswered: false, change) }
        let mailbox = NamedAddress(address: "ann@example.com")
        no("off") { $0.ofMailbox = .off }
        no("the user's choice is off") { $0.own = .off }
        no("kept, where filed is chosen") { ($0.header.subjects, $0.ofMailbox) = (["[nope]"], .filed) }
        no("filed later, where filed is chosen") { ($0.kept, $0.owner, $0.ofMailbox) = (5, 1, .filed) }
        no("from a file") { $0.reference.mailbox = nil }
        no("from the log") { $0.receivedAt = Self.now }
        no("four days old") { $0.header.date = Self.now - .seconds(4 * 86400) }
        no("no date") { $0.header.date = nil }
        no("a date of a hostile child") { $0.header.date = Timestamp(.min) }
        no("not proved") { $0.header.trace = [] }
        no("proved by another server") { $0.header.trace = [.authenticationResults("mx.x; dmarc=pass")] }
        no("proved by a server that is believed since then") {
            $0.header.trace = [.authenticationResults("mx.x; dmarc=pass header.from=example.com")]
            ($0.kept, $0.trustNow) = (5, .dmarc(authservID: .named("mx.x"), ownReceivedFields: 0))
        }
        no("a policy without proof") { $0.trust = .vouched }
        no("another address is marked") { ($0.trust, $0.answered) = (.vouched, ["ben@example.com"]) }
        no("marked, and not proved where proof is asked for") {
            ($0.answered, $0.header.trace) = (["ann@example.com"], [])
        }
        no("marked, from a file") {
            ($0.trust, $0.answered, $0.reference.mailbox) = (.vouched, ["ann@example.com"], nil)
        }
        no("unknown") { $0.header = Mail.header(from: "eve@example.com", results: Self.pass) }
        no("disabled") { $0.isDisabled = true }
        no("two From") { $0.header.from += $0.header.from }
        no("two in one From") { $0.header.from = [AddressField(addresses: [mailbox, mailbox])] }
        no("a group") { $0.header.from = [AddressField(addresses: [mailbox], hasGroup: true)] }
        no("a From that readers disagree on") { $0.header.from[0].isMalformed = true }
        no("a service") { $0.header.relay = RelayedMail(kind: .group) }
        no("too complex") { $0.refusal = .tooComplex }
        no("unparseable") { $0.refusal = .unparseable }
        no("our loop mark") { $0.header.automatic.loopMark = "funds@corp.example" }
        no("auto-replied") { $0.header.automatic.autoSubmitted = "auto-replied" }
        no("auto-generated") { $0.header.automatic.autoSubmitted = "auto-generated" }
        no("bulk") { $0.header.automatic.precedence = "bulk" }
        no("list") { $0.header.automatic.precedence = "list" }
        no("junk") { $0.header.automatic.precedence = "junk" }
        no("a null return path") { $0.header.automatic.hasNullReturnPath = true }
        no("a report") { $0.header.automatic.reportType = "feedback-report" }
        no("a responder") { $0.header.automatic.responderFields = ["x-autoreply"] }
        no("a field of lists") { $0.header.automatic.isOfList = true }
        no("no answers, please") { $0.header.automatic.refusesAnswers = true }
        no("our own address") { $0.ourAddresses = ["ann@example.com"] }
        no("a local part that few servers take") {
            $0.header = Mail.header(from: "änn@example.com", results: Self.pass)
        }
        // An administrator files it for another person: its sender may not learn whose fund that is.
        no("filed later for another") { ($0.kept, $0.owner) = (5, 2) }
        // With a detail it is the same mailbox.
        let ours = Mail().with {
            $0.header = Mail.header(
                from: "funds+x@corp.example", results: "mx.corp.example; dmarc=pass header.from=corp.example")
        }
        let theirs = ours.with { $0.ourAddresses = [] }
        #expect(ours.request == nil && theirs.request != nil)
    }

    /// A thousand senders who are not who they say, in mail that would be filed or kept if they were.
    @Test func forgedSendersGetNothing() {
        var generator = SeededGenerator(seed: 38)
        let forgeries: [(inout MessageHeader) -> Void] = [
            { $0.trace = [] },
            { $0.trace = [.authenticationResults("mx.corp.example; dmarc=fail header.from=example.com")] },
            { $0.trace = [.authenticationResults("mx.corp.example; dmarc=none header.from=example.com")] },
            { $0.trace = [.authenticationResults("mx.corp.example; dmarc=pass header.from=evil.example")] },
            { $0.trace = [.authenticationResults("evil.example; dmarc=pass header.from=example.com")] },
            { $0.trace = [.authenticationResults("mx.corp.example; spf=pass smtp.mailfrom=ann@example.com")] },
            // The message came with it: it stands below what our server wrote.
            { $0.trace = [.received("from evil by mx.corp.example"), .authenticationResults(Self.pass)] },
            { $0.trace.append(.authenticationResults("mx.corp.example; dmarc=fail header.from=example.com")) },
            { $0.trace.append(.authenticationResults("mx.corp.example; dmarc=pass header.from=\"")) },
            { $0.from.append(AddressField(addresses: [NamedAddress(address: "eve@evil.example")])) },
            { $0.from[0].addresses.append(NamedAddress(address: "eve@evil.example")) },
            { $0.from[0].isMalformed = true },
        ]
        let choices: [ReceiptChoice?] = [nil, .all, .problems]
        let subjects = ["[Fund1] Q3", "Q3", "[nope]", "[twin]", "[Fund1", ""]
        var letters = 0
        for _ in 0..<1000 {
            var mail = Mail()
            let from = ["ann@example.com", "ben@example.com", "ANN@example.com", "ann+x@example.com"]
                .randomElement(using: &generator)
            mail.header = Mail.header(
                from: from ?? "", results: Self.pass, subject: subjects.randomElement(using: &generator) ?? "")
            forgeries.randomElement(using: &generator)?(&mail.header)
            if Bool.random(using: &generator) { mail.refusal = .tooLarge }
            mail.own = choices.randomElement(using: &generator) ?? nil
            if mail.request != nil { letters += 1 }
        }
        #expect(letters == 0)
    }
}
