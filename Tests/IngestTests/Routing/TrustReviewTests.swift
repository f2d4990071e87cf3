import TestSupport
import Testing

@testable import FundCore
@testable import Ingest

@Suite struct TrustReviewTests {
    private static func header(_ trace: [TraceField], from: String = "ann@example.com") -> MessageHeader {
        var header = MessageHeader()
        header.from = [AddressField(addresses: [NamedAddress(address: from)])]
        header.trace = trace
        return header
    }

    private static func policy(_ own: Int) -> TrustPolicy {
        .dmarc(authservID: .named("mx.corp.example"), ownReceivedFields: own)
    }

    private static let pass = TraceField.authenticationResults("mx.corp.example; dmarc=pass header.from=example.com")
    private static let postfix = TraceField.received(
        "from a.example by mx.corp.example (Postfix) with ESMTPS id 1; Mon")
    private static let dovecot = TraceField.received("from mx.corp.example by imap.corp.example with LMTP id 2; Mon")
    private static let foreign = TraceField.received("from b.example by a.example with ESMTP id 3; Mon")

    /// The trace as milters leave it: below Postfix's own Received.
    private static let viaMilter = header([postfix, pass, foreign])

    @Test func namesTheNumberThatWouldWork() {
        let review = TrustReview([Self.viaMilter, Self.viaMilter, Self.header([])], policy: Self.policy(0))
        #expect(review.messages == 3 && review.proven == 0)
        #expect(review.reason?.contains("no Authentication-Results of mx.corp.example stands above") == true)
        #expect(review.proposal == .init(ownReceivedFields: 1, proven: 2, writers: ["mx.corp.example"]))
        let delivered = Self.header([Self.dovecot, Self.postfix, Self.pass, Self.foreign])
        let writers = ["imap.corp.example", "mx.corp.example"]
        #expect(
            TrustReview([delivered], policy: Self.policy(0)).proposal
                == .init(ownReceivedFields: 2, proven: 1, writers: writers))
    }

    @Test func proposesNothingWhereItWorks() {
        let review = TrustReview([Self.header([Self.postfix]), Self.viaMilter], policy: Self.policy(1))
        #expect(review.messages == 2 && review.proven == 1 && review.proposal == nil)
        #expect(TrustReview([Self.viaMilter], policy: .vouched).proven == 1)
        #expect(TrustReview([], policy: Self.policy(0)).messages == 0)
    }

    /// A result that is no pass is found, and no number makes it one; another sender's pass proves nothing.
    @Test func proposesNothingWhereNoNumberHelps() {
        let fail = TraceField.authenticationResults("mx.corp.example; dmarc=fail header.from=example.com")
        for header in [
            Self.header([Self.postfix, fail]), Self.header([Self.postfix, Self.pass], from: "ann@other.example"),
            Self.header([Self.postfix, .authenticationResults("other.example; dmarc=pass header.from=example.com")]),
        ] {
            let review = TrustReview([header], policy: Self.policy(0))
            #expect(review.proposal == nil && review.proven == 0 && review.reason != nil)
        }
        #expect(TrustReview([Self.viaMilter], policy: Self.policy(0)).servers == ["mx.corp.example"])
    }

    @Test func mailWithoutOneSenderIsNotCounted() {
        var two = Self.viaMilter
        two.from.append(contentsOf: two.from)
        #expect(TrustReview([two], policy: Self.policy(1)).messages == 0)
    }
}
