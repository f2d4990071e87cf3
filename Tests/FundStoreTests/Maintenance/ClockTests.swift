import TestSupport
import FundCore
import Testing

@testable import FundStore

/// A clock is believed about what is old only after it went on for a day without a jump.
@Suite struct ClockTests {
    private static let hour: Int64 = 3600
    private static let day = 24 * hour

    /// Looks at these times, in seconds after the first; what the store says each time; and the longest gap.
    @Test(
        arguments: [
            // Every five minutes, once a day, once a week.
            ([0, 300, hour, 19 * hour, 20 * hour, day], [false, false, false, false, true, true], 8 * day),
            ([0, day - 600, 2 * day], [false, true, true], 8 * day),
            ([0, 7 * day, 14 * day], [false, true, true], 8 * day),
            // A year ahead, for a run and for two days; and right again.
            ([0, day, 366 * day, day + 300, 2 * day + 300], [false, true, false, false, true], 8 * day),
            ([0, day, 366 * day, 366 * day + 300, 367 * day], [false, true, false, false, true], 8 * day),
            // No call for a month.
            ([0, day, 31 * day, 32 * day], [false, true, false, true], 8 * day),
            // Back by a minute is nothing.
            ([0, day, day - 60, day + 60], [false, true, true, true], 8 * day),
            // A year back.
            ([0, day, -365 * day, -364 * day], [false, true, false, true], 8 * day),
            // Retention of a day: a jump of two days is one, a late daily run is not.
            ([0, day, 3 * day, 3 * day + hour, 4 * day], [false, true, false, false, true], 26 * hour),
            ([0, 26 * hour, 52 * hour, 78 * hour + 1], [false, true, true, false], 26 * hour),
        ] as [([Int64], [Bool], Int64)])
    func isBelievedAfterADay(_ looks: [Int64], _ expected: [Bool], _ longestGap: Int64) async throws {
        let harness = try await StoreHarness()
        var said: [Bool] = []
        for look in looks {
            said.append(
                try await harness.store.maintenance.isClockSteady(
                    longestGap: .seconds(longestGap), now: Timestamp(1_700_000_000 + look)))
        }
        #expect(said == expected)
    }
}
