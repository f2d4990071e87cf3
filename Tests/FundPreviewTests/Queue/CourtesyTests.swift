import Testing

@testable import FundPreview

@Suite struct CourtesyTests {
    private let start = ContinuousClock.now

    private func after(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

    @Test func holdsNothingBackWhileNobodyIsThere() {
        let courtesy = Courtesy()
        #expect(courtesy.allowsWork(after: nil, at: start))
        #expect(courtesy.allowsWork(after: start, at: after(1)))
    }

    @Test func leavesTimeBetweenTwoPieces() {
        let courtesy = Courtesy()
        courtesy.noteUse(at: after(10))
        #expect(courtesy.allowsWork(after: nil, at: after(20)))
        #expect(!courtesy.allowsWork(after: after(20), at: after(21)))
        #expect(!courtesy.allowsWork(after: after(20), at: after(269)))
        // Also under a flood of requests.
        courtesy.noteUse(at: after(269))
        #expect(courtesy.allowsWork(after: after(20), at: after(270)))
    }

    @Test func endsWithTheLastRequest() {
        let courtesy = Courtesy()
        courtesy.noteUse(at: start)
        #expect(!courtesy.allowsWork(after: after(900), at: after(999)))
        #expect(courtesy.allowsWork(after: after(900), at: after(1000)))
    }
}
