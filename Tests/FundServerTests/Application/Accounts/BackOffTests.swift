import TestSupport
import FundCore
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct BackOffTests {
    @Test(arguments: [
        (0, 0), (4, 0), (5, 2), (6, 4), (9, 32), (13, 512), (14, 900), (1_000_000, 900),
    ])
    func waitsGrow(failures: Int, seconds: Int64) {
        let rule = BackOff.Rule(freeFailures: 4, maxSeconds: 900)
        let failed = LoginFailures(count: failures, lastAt: 1000)
        #expect(rule.wait(after: failed, now: 1000) == seconds)
        #expect(rule.wait(after: failed, now: Timestamp(1000 + seconds)) == 0)
    }

    /// A failure noted by a clock that ran ahead keeps no one out until then.
    @Test(arguments: [(1010, 12), (1900, 902), (10_000, 0), (1_000_000, 0)] as [(Timestamp, Int64)])
    func clocksGoBack(lastAt: Timestamp, seconds: Int64) {
        let rule = BackOff.Rule(freeFailures: 4, maxSeconds: 900)
        #expect(rule.wait(after: LoginFailures(count: 5, lastAt: lastAt), now: 1000) == seconds)
    }

    @Test func sumsDoNotCountWhereTheUserIsKnown() {
        var history = LoginHistory()
        history.address = LoginFailures(count: 100, lastAt: 1000)
        history.name = LoginFailures(count: 100, lastAt: 1000)
        #expect(BackOff().wait(history, now: 1000) == 900)
        history.address = LoginFailures()
        #expect(BackOff().wait(history, now: 1000) == 60)
        history.isFamiliar = true
        #expect(BackOff().wait(history, now: 1000) == 0)
        history.pair = LoginFailures(count: 5, lastAt: 1000)
        #expect(BackOff().wait(history, now: 1000) == 2)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:0DB8:1:2::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80:0:0:0::/64"), ("::1", "0:0:0:0::/64"), ("", "local"), ("x", "local"),
        ("1.2.3", "local"),
    ])
    func addressesAreCountedByNetwork(text: String, counted: String) {
        #expect(ClientAddress(text).description == counted)
        #expect(ClientAddress(nil).description == "local")
    }
}
