import TestSupport
import Testing

@testable import FundCore
@testable import Ingest

@Suite struct SenderTrustTests {
    private static let passResult = "dmarc=pass header.from=example.com"
    private static let pass = "mx.corp.example; \(passResult)"

    private func isTrusted(
        _ trace: [TraceField], id: TrustPolicy.AuthservID = .named("mx.corp.example"), own: Int = 0,
        submission: [String] = []
    ) throws -> Bool {
        let sender = try #require(EmailAddress("ann@example.com"))
        let policy = TrustPolicy.dmarc(authservID: id, ownReceivedFields: own, submissionDomains: submission)
        if case .trusted = SenderTrust.verdict(sender: sender, trace: trace, policy: policy) { return true }
        return false
    }

    @Test(arguments: [
        (pass, true),
        ("MX.Corp.Example 1; spf=fail smtp.mailfrom=x.example; dmarc=pass (p=REJECT) header.from=EXAMPLE.com", true),
        ("mx.corp.example; dmarc=pass reason=\"all good; dmarc=fail\" header.from=example.com", true),
        ("mx.corp.example;\r\n\tdmarc = pass header.from = example.com;", true),
        ("mx.corp.example; dmarc/1=pass header.from=\"example.com\"", true),
        // addresses with `=` (VERP, SRS) and with quotes, as servers really write them
        ("mx.corp.example; spf=pass smtp.mailfrom=b+ann=corp.example@list.example; \(passResult)", true),
        ("mx.corp.example; spf=pass smtp.mailfrom=SRS0=x=Y2=a.example=ann@fwd.example; \(passResult)", true),
        ("mx.corp.example; spf=pass smtp.mailfrom=\"ann x\"@dom.example; \(passResult)", true),
        ("mx.corp.example; dkim=pass header.b=abc= header.i=@example.com; \(passResult)", true),
        // Cisco ESA, and header.d
        ("mx.corp.example; dmarc=pass (p=quarantine dis=none) d=example.com", true),
        ("mx.corp.example; dkim=pass header.i=@x.example; dmarc=pass header.d=example.com", true),
        ("mx.corp.example; dmarc=pass (p=none dis=none) d=evil.example", false),
        ("mx.corp.example; dmarc=pass header.d=evil.example d=example.com", false),
        ("mx.corp.example; dmarc=pass header.from=evil.example header.d=example.com d=example.com", false),
        ("mx.corp.example; dmarc=pass dkim.d=example.com", false),
        // what stands in a value is no result, and what does not go on behind quotes is no value
        ("mx.corp.example; spf=fail smtp.mailfrom=x=dmarc=pass@evil.example header.from=example.com", false),
        ("mx.corp.example; dmarc=fail=dmarc=pass header.from=example.com", false),
        ("mx.corp.example; spf=pass smtp.mailfrom=\"a\" dmarc=pass header.from=example.com", false),
        ("mx.corp.example; spf=pass smtp.mailfrom=\"a\"b@x; \(passResult)", false),
        ("mx.corp.example; spf=pass smtp.mailfrom=a\"b\"@x; \(passResult)", false),
        ("mx.corp.example; dmarc=pass header.from=\"ann@example.com\"@evil.example", false),
        ("mx.corp.example=x; \(passResult)", false),
        // another server, or a name that only looks like ours
        ("evil.example; dmarc=pass header.from=example.com", false),
        ("mx.corp.example.evil; dmarc=pass header.from=example.com", false),
        ("x.mx.corp.example; dmarc=pass header.from=example.com", false),
        ("(mx.corp.example) evil; dmarc=pass header.from=example.com", false),
        // another domain, or none
        ("mx.corp.example; dmarc=pass header.from=evil.example", false),
        ("mx.corp.example; dmarc=pass header.from=sub.example.com", false),
        ("mx.corp.example; dmarc=pass", false),
        ("mx.corp.example; dmarc=pass header.from=evil.example header.from=example.com", false),
        // not a pass of DMARC
        ("mx.corp.example; dmarc=fail header.from=example.com", false),
        ("mx.corp.example; spf=pass smtp.mailfrom=example.com; dkim=pass header.d=example.com", false),
        ("mx.corp.example; none", false),
        ("mx.corp.example; dmarc=fail header.from=example.com; dmarc=pass header.from=example.com", false),
        // pass hidden where no result stands
        ("mx.corp.example; spf=fail smtp.mailfrom=\"; dmarc=pass header.from=example.com\"", false),
        ("mx.corp.example; spf=fail (dmarc=pass header.from=example.com) smtp.mailfrom=x", false),
        ("mx.corp.example; dmarc=fail (; dmarc=pass) header.from=example.com", false),
        // not the grammar: proves nothing
        ("mx.corp.example; dmarc=pass header.from=example.com (unclosed", false),
        ("mx.corp.example; \"dmarc=pass header.from=example.com", false),
        ("mx.corp.example 2; dmarc=pass header.from=example.com", false),
        ("mx.corp.example two words; dmarc=pass header.from=example.com", false),
        ("; dmarc=pass header.from=example.com", false),
        ("", false),
    ])
    func oneField(_ field: String, _ expected: Bool) throws {
        #expect(try isTrusted([.authenticationResults(field)]) == expected)
    }

    @Test func onlyWhatStandsAboveTheFirstUntrustedReceivedCounts() throws {
        let received = TraceField.received("from evil.example by mx.corp.example with ESMTP id 1; Mon, 1 Jan 2026")
        let forged = TraceField.authenticationResults(Self.pass)
        #expect(try isTrusted([forged, received]))
        #expect(try !isTrusted([received, forged]), "forged alone, below")
        let genuine = TraceField.authenticationResults("mx.corp.example; dmarc=fail header.from=example.com")
        #expect(try !isTrusted([genuine, received, forged]), "forged below the genuine one")
        #expect(try !isTrusted([forged, genuine, received]), "two that contradict each other")
        #expect(try isTrusted([received, forged], own: 1), "our own server's Received on top is configured")
        #expect(try !isTrusted([received, received, forged], own: 1))
        #expect(try !isTrusted([]))
    }

    /// The reason is true: a field that cannot be read is there.
    @Test func anUnreadableFieldIsNotSaidToBeMissing() throws {
        let sender = try #require(EmailAddress("ann@example.com"))
        let policy = TrustPolicy.dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: 0)
        func reason(_ trace: [TraceField]) -> String? {
            guard case .untrusted(let why) = SenderTrust.verdict(sender: sender, trace: trace, policy: policy) else {
                return nil
            }
            return why.text
        }
        let unreadable = "mx.corp.example; dmarc=pass action=none records header.from=example.com"
        #expect(reason([.authenticationResults(unreadable), .received("x")])?.contains("cannot be read") == true)
        let traces: [[TraceField]] = [
            [], [.received("x"), .authenticationResults(unreadable)], [.authenticationResults("other; x y")],
        ]
        for trace in traces {
            #expect(reason(trace)?.hasPrefix("no Authentication-Results of mx.corp.example") == true)
        }
    }

    /// An unreadable field of our server may contradict the readable ones.
    @Test(arguments: [
        "mx.corp.example; dmarc=fail header.from=example.com (unclosed", "mx.corp.example; dmarc=fail header.from=a\"b",
        "mx.corp.example;; dmarc=fail header.from=example.com", "MX.corp.example 2; dmarc=fail header.from=example.com",
        "mx.corp.example.; dmarc=fail header.from=example.com",
    ])
    func oneThatCannotBeReadProvesNothing(_ field: String) throws {
        let forged = TraceField.authenticationResults(Self.pass)
        #expect(try !isTrusted([.authenticationResults(field), forged]))
        let other = TraceField.authenticationResults(field.lowercased().replacing("corp", with: "other"))
        #expect(try isTrusted([other, forged]), "another server's field says nothing about ours")
    }

    @Test func handoverInsideOurServerIsPassedOver() throws {
        let result = TraceField.authenticationResults(Self.pass)
        func passes(_ received: String) throws -> Bool { try isTrusted([.received(received), result]) }
        #expect(try passes("from mx.corp.example by mx.corp.example with LMTP id 1 for <x@y>; Mon"))
        #expect(try passes("by mx.corp.example (Postfix, from userid 1000) id 1; Mon"))
        #expect(try !passes("from a by other.example with LMTP id 1; Mon"))
        #expect(try !passes("from a by mx.corp.example with ESMTP id 1; Mon"))
        // a HELO name that pretends to be the rest of the field
        #expect(
            try !passes("from x by mx.corp.example with LMTP id 1 (evil [1.2.3.4]) by mx.corp.example with ESMTP id 2"))
        #expect(try !passes("from x (by mx.corp.example with LMTP) by mx.corp.example with ESMTP id 2; Mon"))
        // a name that opens a comment, in which the server's own words would be lost
        let real = "(evil [1.2.3.4]) by mx.corp.example with ESMTP id 2; Mon"
        #expect(try !passes("from x by mx.corp.example with LMTP ( \(real)"))
        #expect(try !passes("from x\u{a0}by\u{a0}mx.corp.example\u{a0}with\u{a0}LMTP\u{a0}( \(real)"))
        #expect(try !passes("from \"x by mx.corp.example with LMTP (\" \(real)"))
        #expect(try !passes("from x) by mx.corp.example with LMTP ( \(real)"))
    }

    /// The server's own words may stand past the limit; then nothing of the field counts.
    @Test func aReceivedFieldOfAnyLengthHidesNothing() throws {
        let result = TraceField.authenticationResults(Self.pass)
        let handover = "from x by mx.corp.example with LMTP id 1 "
        for filler in [100, 4000, 4096, 5000, 60_000] {
            let real = ") by mx.corp.example with ESMTP id 2; Mon"
            let received = TraceField.received(handover + "(" + String(repeating: "x", count: filler) + real)
            #expect(try !isTrusted([received, result]), "\(filler)")
        }
        let long = handover + "(" + String(repeating: "x", count: 4096) + "); Mon"
        #expect(try !isTrusted([.received(long), result]))
        #expect(try isTrusted([.received(handover + "; Mon"), result]))
    }

    private static let submitted = TraceField.received(
        "from laptop (host [192.0.2.1]) (Authenticated sender: ann) by mx.corp.example (Postfix) with ESMTPSA id 1; Mon"
    )
    private static let fromOutside = TraceField.received(
        "from a.example (a.example [192.0.2.2]) by mx.corp.example (Postfix) with ESMTPS id 1; Mon")

    /// A colleague's mail was never on the internet: our own server knows the login, and no DMARC.
    @Test(arguments: [
        ("auth=pass smtp.auth=ann@example.com smtp.mailfrom=x@example.com", true),
        ("auth=pass (PLAIN) smtp.auth=ANN@Example.COM; dmarc=fail header.from=example.com", true),
        ("auth=pass smtp.auth=ann; dmarc=none header.from=example.com", true),
        ("auth=pass smtp.auth=ann@example.com header.from=example.com", true),
        // not a pass, or for another domain
        ("auth=fail smtp.auth=ann@example.com", false), ("auth=pass smtp.auth=ben@example.com", false),
        ("auth=pass smtp.auth=ann@other.example", false), ("auth=pass smtp.auth=ben", false), ("auth=pass", false),
        ("auth=pass smtp.mailfrom=ann@example.com", false), ("auth=pass header.from=ann@example.com", false),
        ("auth=pass smtp.auth=ann smtp.auth=ben", false), ("auth=pass smtp.auth=ann header.from=evil.example", false),
        ("auth=pass smtp.auth=ben; auth=pass smtp.auth=ann", false),
        ("auth=fail smtp.auth=ann; auth=pass smtp.auth=ann", false),
        ("spf=pass smtp.mailfrom=\"auth=pass smtp.auth=ann\"", false),
    ])
    func aLoginCountsWhereTheConfigurationSaysSo(_ results: String, _ expected: Bool) throws {
        let field = TraceField.authenticationResults("mx.corp.example; " + results)
        let domains = ["example.com"]
        #expect(try isTrusted([Self.submitted, field], own: 1, submission: domains) == expected)
        #expect(try isTrusted([field, Self.submitted], submission: domains) == expected, "results on top")
        #expect(try !isTrusted([Self.submitted, field], own: 1), "not configured")
        #expect(try !isTrusted([Self.submitted, field], own: 1, submission: ["other.example"]))
        #expect(try !isTrusted([Self.fromOutside, field], own: 1, submission: domains), "nobody logged in")
        #expect(try !isTrusted([Self.fromOutside, field, Self.submitted], own: 1, submission: domains), "forged below")
        #expect(try !isTrusted([Self.submitted, field], id: .topmostWithoutID, own: 1, submission: domains))
        #expect(try !isTrusted([Self.submitted, field], submission: domains), "below the first untrusted Received")
        let genuine = TraceField.authenticationResults("mx.corp.example; spf=fail smtp.mailfrom=x")
        #expect(try !isTrusted([Self.submitted, genuine, field], own: 1, submission: domains), "not the topmost")
        let other = TraceField.authenticationResults("evil.example; " + results)
        #expect(try !isTrusted([Self.submitted, other], own: 1, submission: domains), "another server")
    }

    @Test func aBareLoginIsOfOneDomainOnly() throws {
        let field = TraceField.authenticationResults("mx.corp.example; auth=pass smtp.auth=ann")
        let trace = [Self.submitted, field]
        #expect(try isTrusted(trace, own: 1, submission: ["example.com"]))
        #expect(try !isTrusted(trace, own: 1, submission: ["example.com", "corp.example"]))
        let whole = TraceField.authenticationResults("mx.corp.example; auth=pass smtp.auth=ann@example.com")
        #expect(try isTrusted([Self.submitted, whole], own: 1, submission: ["corp.example", "example.com"]))
    }

    @Test func exchangeOnlineWritesNoID() throws {
        let field =
            "spf=pass (sender IP is 1.2.3.4) smtp.mailfrom=example.com; dkim=pass header.d=example.com;"
            + "dmarc=pass action=none header.from=example.com;compauth=pass reason=100"
        #expect(try isTrusted([.authenticationResults(field)], id: .topmostWithoutID))
        #expect(try !isTrusted([.authenticationResults(field)]), "must be asked for")
        #expect(try !isTrusted([.authenticationResults(Self.pass)], id: .topmostWithoutID), "bears a name")
        #expect(
            try !isTrusted([.authenticationResults("x; none"), .authenticationResults(field)], id: .topmostWithoutID))
        #expect(
            try !isTrusted([.received("from a by b with SMTP"), .authenticationResults(field)], id: .topmostWithoutID))
    }
}
