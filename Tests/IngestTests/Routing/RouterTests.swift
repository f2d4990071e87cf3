import TestSupport
import Testing

@testable import FundCore
@testable import Ingest

@Suite struct RouterTests {
    static let ann = User(id: 1, email: "ann@example.com")
    static let ben = User(id: 2, email: "ben@example.com")
    static let dora = User(id: 3, email: "dora@example.com", isDisabled: true)
    static let carl = User(id: 4, email: "carl@example.com")

    static let directory = RoutingDirectory(
        users: [ann, ben, dora, carl],
        addresses: [
            ("ann@example.com", 1), ("ann.archer@example.org", 1), ("ben@example.com", 2), ("dora@example.com", 3),
            ("carl+reports@example.com", 4), ("wang@例え.example", 2),
        ].compactMap { text, user in EmailAddress(text).map { (address: $0, user: User.ID(user)) } },
        funds: [
            Fund(id: 11, owner: 1, name: "Fund1"),
            Fund(id: 12, owner: 1, name: "Alpha Fund", aliases: ["Alpha", "AF-1"]),
            Fund(id: 13, owner: 1, name: "基金一", aliases: ["Jijin Yi"]),
            Fund(id: 14, owner: 1, name: "Growth & Income (2024)"),
            Fund(id: 15, owner: 1, name: "Twin", aliases: []),
            Fund(id: 16, owner: 1, name: "Other", aliases: ["TWIN"]),
            Fund(id: 21, owner: 2, name: "Fund1"),
            Fund(id: 22, owner: 2, name: "Straße"),
        ])

    static func header(from: String = "ann@example.com", subjects: [String] = ["[Fund1] Q3"]) -> MessageHeader {
        var header = MessageHeader()
        header.from = [AddressField(addresses: [NamedAddress(address: from)])]
        header.subjects = subjects
        return header
    }

    func route(_ header: MessageHeader, trust: TrustPolicy = .vouched) -> RoutingDecision {
        Router(directory: Self.directory, policy: RoutingPolicy(trust: trust), explains: true).route(header)
    }

    @Test(arguments: [
        ("[Fund1] x", 11), ("Re: [Fund1]", 11), ("Re: AW: Fwd: [fund1]", 11), ("[EXTERNAL] [Fund1]", 11),
        ("[ext][spam] [FUND1] x", 11), ("【基金一】季报", 13), ("回复：【基金一】", 13), ("［Ｆｕｎｄ１］ x", 11),
        ("[Ｆｕｎｄ１】", 11), ("Q3 [Fund1] report", 11), ("Q3 report [Fund1]", 11), ("[Fund1] [Alpha Fund]", 11),
        ("[nonsense] [Alpha Fund]", 12), ("[]  [Fund1]", 11), ("[ ] [Fund1]", 11), ("[[Fund1]]", 11),
        ("[x [Fund1] y]", 11), ("[alpha   fund]", 12), ("[ Alpha\tFund ]", 12), ("[alpha]", 12), ("[af-1]", 12),
        ("[Growth & Income (2024)] NAV", 14), ("[growth & income （2024）]", 14), ("[jijin yi]", 13),
        ("Re[2]: [Fund1]", 11), ("RE (3): [Fund1]", 11), ("[Fu\u{200B}nd1]", 11), ("[Other]", 16),
    ])
    func tagsNameFunds(_ subject: String, _ fund: Fund.ID) {
        let decision = route(Self.header(subjects: [subject]))
        #expect(decision.outcome == .filed, "\(decision.steps)")
        #expect(decision.fund?.id == fund)
        #expect(decision.user?.id == 1)
    }

    @Test func everySenderGetsTheirOwnFundOfOneName() {
        #expect(route(Self.header(from: "ben@example.com")).fund?.id == 21)
        #expect(route(Self.header(from: "ben@example.com", subjects: ["[STRASSE]"])).fund?.id == 22)
        #expect(route(Self.header(from: "ben@example.com", subjects: ["[Alpha Fund]"])).reason == .unknownFund)
    }

    @Test(arguments: [
        ("Q3 report", Reason.noTag), ("", .noTag), ("[] x", .noTag), ("[EXTERNAL] x", .noTag), ("[Fund1 x", .noTag),
        ("Fund1] x", .noTag), ("[Fund2] x", .unknownFund), ("[Fund1 [old]] x", .unknownFund),
        ("[twin] x", .ambiguousFund),
        ("Re[2]: hello", .noTag), ("(Fund1) x", .noTag),
    ])
    func subjectsThatNameNoFund(_ subject: String, _ reason: Reason) {
        let decision = route(Self.header(subjects: [subject]))
        #expect(decision.outcome == .misrouted)
        #expect(decision.reason == reason, "\(decision.steps)")
        #expect(decision.user?.id == 1)
    }

    /// `[...]` is what an encrypted message has instead of its subject (RFC 9788).
    @Test(arguments: ["[...] x", "[!!]", "[…]", "[--] [***]", "[ . ]"])
    func aTagHasALetterOrADigit(_ subject: String) {
        let decision = route(Self.header(subjects: [subject]))
        #expect(decision.reason == .noTag && decision.tag == nil && decision.suggestions.isEmpty)
        #expect(route(Self.header(subjects: [subject + "[Fund1]"])).fund?.id == 11)
    }

    /// Earlier versions let a fund have such a name.
    @Test func aFundOfThatNameIsFound() {
        let star = Fund(id: 31, owner: 1, name: "★")
        let directory = RoutingDirectory(users: [User(id: 1, email: "ann@example.com")], addresses: [], funds: [star])
        let router = Router(directory: directory, policy: RoutingPolicy(trust: .vouched))
        let ann = User(id: 1, email: "ann@example.com")
        #expect(router.route(subject: "[★] x", of: ann).fund?.id == 31)
        #expect(router.route(subject: "[☆] x", of: ann).reason == .noTag)
    }

    /// Whom an unknown address belongs to is doubted where the trust check does not confirm it, whatever it waits for.
    @Test func doubtIsNoted() {
        let trust = TrustPolicy.dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: 0)
        let stranger = Self.header(from: "eve@example.org")
        #expect(route(stranger, trust: trust).isUnverified && !route(stranger).isUnverified)
        let router = Router(directory: Self.directory, policy: RoutingPolicy(trust: trust))
        let large = router.route(.refused(.tooLarge, detail: "x", header: Self.header(), defects: []))
        #expect(large.isUnverified && large.user == nil)
        #expect(router.route(.refused(.unparseable, detail: "x", header: nil, defects: [])).isUnverified)
        let vouching = Router(directory: Self.directory, policy: RoutingPolicy(trust: .vouched))
        #expect(!vouching.route(.refused(.unparseable, detail: "x", header: nil, defects: [])).isUnverified)
        // Marks that a forger adds do not hide it.
        var automatic = Self.header()
        automatic.automatic.autoSubmitted = "auto-replied"
        var bounced = Self.header()
        bounced.automatic.hasNullReturnPath = true
        var two = Self.header()
        two.from.append(AddressField(addresses: [NamedAddress(address: "eve@example.org")]))
        for (header, reason) in [(automatic, Reason.autoReply), (bounced, .autoReply), (two, .ambiguousSender)] {
            let decision = route(header, trust: trust)
            #expect(decision.reason == reason && decision.isUnverified)
        }
        #expect(!route(automatic).isUnverified && !route(two).isUnverified)
    }

    /// The address of a service that passes on mail of many belongs to no single person.
    @Test func mailThatWasPassedOnIsMarked() {
        var header = Self.header(from: "owners@groups.example.org")
        header.relay = RelayedMail(kind: .group, author: "ann@example.com")
        let message = ParsedMessage(header: header)
        let router = Router(directory: Self.directory, policy: RoutingPolicy(trust: .vouched))
        let decision = router.route(.message(message))
        #expect(decision.reason == .unknownSender && decision.relay == header.relay)
        header.relay = RelayedMail(kind: .journal)
        let report = ParsedMessage(header: header, text: "\nSender: Ann@Example.com\nSubject: [Fund1] x\nSender: b@c\n")
        #expect(router.route(.message(report)).relay?.author == "ann@example.com")
        // That holds where a user has registered it, too.
        var known = Self.header()
        known.relay = RelayedMail(kind: .group)
        let kept = router.route(.message(ParsedMessage(header: known)))
        #expect(kept.reason == .unknownSender && kept.relay?.kind == .group && kept.user == nil)
    }

    @Test func suggestionsAreTheNearestThreeOfTheSender() {
        #expect(route(Self.header(subjects: ["[Fnd1]"])).suggestions.first == "Fund1")
        #expect(route(Self.header(subjects: ["[Alhpa]"])).suggestions.first == "Alpha Fund")
        #expect(route(Self.header(subjects: ["[Fund1 Q3]"])).suggestions == ["Fund1"])
        // A tag that has nothing in common with a name is not near it.
        for tag in ["zzz", "URGENT", "x", "Beta-Fonds"] {
            #expect(route(Self.header(subjects: ["[\(tag)]"])).suggestions == [], "\(tag)")
        }
        #expect(route(Self.header(from: "carl+reports@example.com", subjects: ["[x]"])).suggestions == [])
    }

    @Test(
        arguments: [
            (["[Fund1] a", "[Fund1] b"], nil), (["[Fund1] a", "[Alpha] b"], Reason.ambiguousSubject),
            (["[Fund1] a", "none"], .ambiguousSubject), (["a", "b"], .noTag), ([], .noTag),
        ] as [([String], Reason?)])
    func severalSubjects(_ subjects: [String], _ reason: Reason?) {
        #expect(route(Self.header(subjects: subjects)).reason == reason)
    }

    @Test(
        arguments: [
            ("ann@example.com", nil), ("ANN@EXAMPLE.COM", nil), ("ann+q3@example.com", nil), ("ann@example.com.", nil),
            ("Ann.Archer@example.org", nil), ("nobody@example.com", Reason.unknownSender),
            ("ann@example.com.evil.example", .unknownSender), ("ａnn@example.com", .unknownSender),
            ("ann@ｅxample.com", .unknownSender), ("\u{212A}ann@example.com", .unknownSender),
            ("ann\u{200B}@example.com", .ambiguousSender), ("dora@example.com", .disabledSender),
            ("carl@example.com", .unknownSender), ("ann", .ambiguousSender), ("", .ambiguousSender),
            ("ann@good@example.com", .ambiguousSender), ("=?utf-8?q?ann=40example=2Ecom?=", .ambiguousSender),
            ("ann@", .ambiguousSender), ("@example.com", .ambiguousSender),
        ] as [(String, Reason?)])
    func senders(_ address: String, _ reason: Reason?) {
        #expect(route(Self.header(from: address)).reason == reason)
    }

    /// The reason stays, but the report must not suggest registering an address that may be forged.
    @Test(
        arguments: [
            ("mx.c.example; dmarc=pass header.from=example.net", false), ("mx.c.example; dmarc=fail", true),
            (nil, true),
        ] as [(String?, Bool)])
    func anUnknownSenderMayBeUnverified(_ results: String?, _ isUnverified: Bool) {
        var header = Self.header(from: "new@example.net")
        header.trace = results.map { [TraceField.authenticationResults($0)] } ?? []
        let trust = TrustPolicy.dmarc(authservID: .named("mx.c.example"), ownReceivedFields: 0)
        let decision = route(header, trust: trust)
        #expect(decision.reason == .unknownSender)
        #expect(decision.isUnverified == isUnverified)
        #expect(!route(header).isUnverified, "an administrator vouches")
    }

    @Test func aDetailThatIsRegisteredProvesItsUser() {
        #expect(route(Self.header(from: "carl+reports@example.com")).user?.id == 4)
        #expect(route(Self.header(from: "wang@xn--r8jz45g.example")).user?.id == 2)
    }

    @Test func onlyOneFromWithOneMailboxIsASender() {
        var header = Self.header()
        header.from = []
        #expect(route(header).reason == .ambiguousSender)
        let mailbox = NamedAddress(address: "ann@example.com")
        header.from = [AddressField(addresses: [mailbox]), AddressField(addresses: [mailbox])]
        #expect(route(header).reason == .ambiguousSender)
        for field in [
            AddressField(addresses: [mailbox, mailbox]), AddressField(addresses: []),
            AddressField(addresses: [mailbox], hasGroup: true), AddressField(addresses: [mailbox], isMalformed: true),
        ] {
            header.from = [field]
            #expect(route(header).reason == .ambiguousSender)
        }
    }

    @Test func automaticMailIsRefused() {
        func reason(_ change: (inout AutomaticMarks) -> Void, subject: String = "[Fund1] x") -> Reason? {
            var header = Self.header(subjects: [subject])
            change(&header.automatic)
            return route(header).reason
        }
        #expect(reason { $0.autoSubmitted = "auto-replied" } == .autoReply)
        #expect(reason { $0.autoSubmitted = "auto-generated" } == nil, "reports of programs are filed")
        #expect(reason { $0.autoSubmitted = "no" } == nil)
        #expect(reason { $0.reportType = "delivery-status" } == .autoReply)
        #expect(reason { $0.responderFields = ["x-autoreply"] } == .autoReply)
        #expect(reason { $0.precedence = "bulk" } == nil)
        #expect(reason { $0.loopMark = "1" } == .loop)
        #expect(reason { $0.hasNullReturnPath = true } == nil)
        #expect(reason({ $0.hasNullReturnPath = true }, subject: "Undelivered") == .autoReply)
    }

    /// A message that is too large is told to its sender, if the claim of the sender is true.
    @Test(
        arguments: [
            ("ann@example.com", "dmarc=pass header.from=example.com", Reason.tooLarge, 1),
            ("ann@example.com", "dmarc=fail header.from=example.com", .tooLarge, nil),
            ("ann@example.com", "dmarc=pass header.from=example.com", .tooComplex, nil),
            ("dora@example.com", "dmarc=pass header.from=example.com", .tooLarge, nil),
            ("new@example.com", "dmarc=pass header.from=example.com", .tooLarge, nil),
        ] as [(String, String, Reason, User.ID?)])
    func aRefusedMessageMayHaveASender(_ from: String, _ results: String, _ reason: Reason, _ user: User.ID?) {
        var header = Self.header(from: from)
        header.trace = [TraceField.authenticationResults("mx.c.example; " + results)]
        let trust = TrustPolicy.dmarc(authservID: .named("mx.c.example"), ownReceivedFields: 0)
        let decision = Router(directory: Self.directory, policy: RoutingPolicy(trust: trust)).route(
            .refused(reason, detail: "x", header: header, defects: []))
        #expect(decision.outcome == .rejected && decision.reason == reason && decision.fund == nil)
        #expect(decision.user?.id == user)
    }

    /// The subject tester says what routing does, and names no funds of others.
    @Test(arguments: [
        "[Fund1] x", "Re: [EXTERNAL] [nope] [Alpha]", "no tag", "", "[]", "[twin] x", "[Fnd1]", "[Straße]",
        "\u{202E}[Fund1] {{x}}<b>",
    ])
    func aSubjectAloneIsRoutedLikeAMail(_ subject: String) {
        let router = Router(directory: Self.directory, policy: RoutingPolicy(trust: .vouched), explains: true)
        let (alone, mail) = (router.route(subject: subject, of: Self.ann), route(Self.header(subjects: [subject])))
        #expect(alone.outcome == mail.outcome && alone.reason == mail.reason && alone.fund == mail.fund)
        #expect(alone.tag == mail.tag && alone.suggestions == mail.suggestions && alone.user == mail.user)
        #expect(alone.steps == Array(mail.steps.drop { $0.about != .subject }))
        #expect(alone.steps.last?.verdict == (alone.outcome == .filed ? .yes : .no))
        let foreign = Set(Self.directory.funds(of: 2).map(\.name)).subtracting(["Fund1"])
        #expect(!alone.suggestions.contains { foreign.contains($0) } && alone.fund?.owner ?? 1 == 1)
    }

    /// A subject of thousands of tags is told in a few steps, and decided by any of them.
    @Test func manyTagsAreCounted() {
        let tags = String(repeating: "[a]", count: 5000)
        for (subject, isFiled) in [(tags, false), ("[EXTERNAL] \(tags) [Fund1] x", true)] {
            let decision = route(Self.header(subjects: [subject]))
            #expect((decision.outcome == .filed) == isFiled)
            #expect(decision.steps.count { $0.about == .tag } == 21, "\(decision.steps.count)")
            let isCounted = decision.steps.contains {
                if case .furtherTags(let count) = $0.fact { count == (isFiled ? 4981 : 4980) } else { false }
            }
            #expect(isCounted)
        }
    }

    @Test func refusedMessagesKeepTheirReason() {
        let result = ParseResult.refused(.tooComplex, detail: "x", header: nil, defects: [])
        let decision = Router(directory: Self.directory, policy: RoutingPolicy(trust: .vouched)).route(result)
        #expect(decision.outcome == .rejected)
        #expect(decision.reason == .tooComplex)
    }
}
