import FundCore
import MailConnection
import Testing

@Suite struct BackoffTests {
    private static func pauses(_ error: any Error, _ count: Int) -> [Double] {
        var backoff = Backoff()
        return (0..<count).map { _ in backoff.pause(after: error, jitter: 1).seconds }
    }

    @Test func growsUntilItsLongest() {
        let down = ConnectionError(.unreachable, during: "login")
        #expect(Self.pauses(down, 11) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        // An account is not locked by us, and who puts the password right need not wait for long.
        #expect(Self.pauses(ConnectionError(.loginRefused, during: "login"), 7) == [30, 60, 120, 240, 480, 900, 900])
        // Neither where the server does not say whether the password is wrong.
        var doubtful = ConnectionError(.throttled, during: "login")
        #expect(Self.pauses(doubtful, 2) == [1, 2])
        doubtful.loginHint = .busyOrWrongPassword
        #expect(Self.pauses(doubtful, 2) == [30, 60])
        #expect(Self.pauses(StoreError(.outOfSpace, "write", ""), 8) == [1, 2, 4, 8, 16, 32, 60, 60])
        #expect(Self.pauses(down, 100).last == 300)
    }

    @Test func beginsAnewAfterASuccess() {
        var backoff = Backoff()
        for _ in 0..<5 { _ = backoff.pause(after: ConnectionError(.timedOut, during: "login")) }
        backoff.reset()
        #expect(backoff.pause(after: ConnectionError(.timedOut, during: "login"), jitter: 1) == .seconds(1))
    }

    @Test(arguments: [(0.9, 90.0), (1.0, 90.0), (1.1, 99.0)])
    func grantsWhatTheServerAsksFor(_ jitter: Double, _ seconds: Double) {
        var backoff = Backoff()
        let error = ConnectionError(.throttled, during: "login", retryAfter: .seconds(90))
        #expect(abs(backoff.pause(after: error, jitter: jitter).seconds - seconds) < 0.001)
    }

    /// The delay that a server asks for is limited: neither it nor an attacker in its place can stop the polling.
    @Test func grantsNoMoreThanAnHour() {
        var backoff = Backoff()
        let error = ConnectionError(.throttled, during: "login", retryAfter: .seconds(999_999_999))
        #expect(backoff.pause(after: error, jitter: 1) == .seconds(3600))
    }

    @Test func jitterSpreads() {
        let pauses = (0..<200).map { _ in
            var backoff = Backoff()
            return backoff.pause(after: ConnectionError(.unreachable, during: "login")).seconds
        }
        #expect(pauses.allSatisfy { (0.9...1.1).contains($0) } && Set(pauses).count > 100)
    }
}
