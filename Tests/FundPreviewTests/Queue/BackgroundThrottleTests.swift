import Testing

@testable import FundPreview

@Suite struct BackgroundThrottleTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func holdsNothingBackWhileNobodyIsThere() {
        let throttle = BackgroundThrottle()
        #expect(throttle.allowsWork(after: nil, at: start))
        #expect(throttle.allowsWork(after: start, at: after(1)))
    }

    @Test func leavesTimeBetweenTwoPieces() {
        let throttle = BackgroundThrottle()
        throttle.noteUse(at: after(10))
        #expect(throttle.allowsWork(after: nil, at: after(20)))
        #expect(!throttle.allowsWork(after: after(20), at: after(21)))
        // Also under a flood of requests.
        throttle.noteUse(at: after(1019))
        #expect(!throttle.allowsWork(after: after(20), at: after(1019)))
        #expect(throttle.allowsWork(after: after(20), at: after(1020)))
    }

    @Test func waitsForABusyMachineForSomeTimeAlone() {
        let throttle = BackgroundThrottle()
        #expect(throttle.isOverdue(after: nil, at: start))
        #expect(!throttle.isOverdue(after: start, at: after(29_999)))
        #expect(throttle.isOverdue(after: start, at: after(30_000)))
    }

    @Test func endsWithTheLastRequest() {
        let throttle = BackgroundThrottle()
        throttle.noteUse(at: start)
        #expect(!throttle.allowsWork(after: after(900), at: after(999)))
        #expect(throttle.allowsWork(after: after(900), at: after(1000)))
    }
}
