import TestSupport
import Testing

@testable import FundPreview

@Suite struct BackgroundThrottleTests {
    private let clock = ManualClock()
    private let start: ContinuousClock.Instant
    private let throttle: BackgroundThrottle

    init() {
        start = clock.now
        throttle = BackgroundThrottle { [clock] in clock.now }
    }

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    private func move(to milliseconds: Int) { clock.advance(by: after(milliseconds) - clock.now) }

    private func allowsWork(after last: ContinuousClock.Instant?, at milliseconds: Int) -> Bool {
        move(to: milliseconds)
        return throttle.allowsWork(after: last)
    }

    private func noteUse(at milliseconds: Int) {
        move(to: milliseconds)
        throttle.noteUse()
    }

    @Test func holdsNothingBackWhileNobodyIsThere() {
        #expect(allowsWork(after: nil, at: 0))
        #expect(allowsWork(after: start, at: 1))
    }

    @Test func leavesTimeBetweenTwoPieces() {
        noteUse(at: 10)
        #expect(allowsWork(after: nil, at: 20))
        #expect(!allowsWork(after: after(20), at: 21))
        // Also under a flood of requests.
        noteUse(at: 1019)
        #expect(!allowsWork(after: after(20), at: 1019))
        #expect(allowsWork(after: after(20), at: 1020))
    }

    @Test func waitsForABusyMachineForSomeTimeAlone() {
        #expect(throttle.isOverdue(after: nil))
        move(to: 29_999)
        #expect(!throttle.isOverdue(after: start))
        move(to: 30_000)
        #expect(throttle.isOverdue(after: start))
    }

    @Test func endsWithTheLastRequest() {
        noteUse(at: 0)
        #expect(!allowsWork(after: after(900), at: 999))
        #expect(allowsWork(after: after(900), at: 1000))
    }
}
