import Testing

@testable import Ingest

@Suite struct SenderTrustTests {
    private static let pass = "mx.corp.example; dmarc=pass header.from=example.com"

    private func isTrusted(
        _ trace: [TraceField], id: TrustPolicy.AuthservID = .named("mx.corp.example"), own: Int = 0
    ) throws -> Bool {
        let sender = try #require(EmailAddress("ann@example.com"))
        let policy = TrustPolicy.dmarc(authservID: id, ownReceivedFields: own)
        if case .trusted = SenderTrust.verdict(sender: sender, trace: trace, policy: policy) { return true }
        return false
    }

    @Test(arguments: [
        (pass, true),
        ("MX.Corp.Example 1; spf=fail smtp.mailfrom=x.example; dmarc=pass (p=REJECT) header.from=EXAMPLE.com", true),
        ("mx.corp.example; dmarc=pass reason=\"all good; dmarc=fail\" header.from=example.com", true),
        ("mx.corp.example;\r\n\tdmarc = pass header.from = example.com;", true),
        ("mx.corp.example; dmarc/1=pass header.from=\"example.com\"", true),
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
