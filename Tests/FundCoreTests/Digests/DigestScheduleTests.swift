import FundCore
import TestSupport
import Testing

@Suite struct DigestScheduleTests {
    private static let noon = Timestamp(1_700_049_600)  // 2023-11-15 12:00 UTC

    private static func number(_ pace: NewsPace, _ time: Timestamp, hour: Int = 8, offset: Int = 0) -> Int64 {
        DigestSchedule(hour: hour) { _ in offset }.period(of: pace, at: time).number
    }

    /// The seconds before and behind the time at which a period begins.
    @Test(
        arguments: [
            (NewsPace.hourly, 8, 0, Timestamp(1_700_049_600)), (.daily, 12, 0, Timestamp(1_700_049_600)),
            (.daily, 8, -4 * 3600, Timestamp(1_700_049_600)), (.daily, 17, 5 * 3600 + 1800, Timestamp(1_700_047_800)),
            (.daily, 0, 0, Timestamp(1_700_006_400)), (.daily, 23, 0, Timestamp(-3600)), (.atOnce, 8, 0, Timestamp(20)),
        ])
    func aPeriodBegins(_ pace: NewsPace, _ hour: Int, _ offset: Int, _ start: Timestamp) {
        let number = Self.number(pace, start, hour: hour, offset: offset)
        #expect(Self.number(pace, start - .seconds(1), hour: hour, offset: offset) == number - 1)
        #expect(Self.number(pace, start + .seconds(9), hour: hour, offset: offset) == number)
    }

    /// The night in which an hour comes twice, and the one that lacks one: each day has one period.
    @Test(arguments: [(3600, 0), (0, 3600)]) func clocksAreChanged(before: Int, behind: Int) {
        let change = Timestamp(1_698_541_200)  // 2023-10-29 01:00 UTC
        let schedule = DigestSchedule(hour: 2) { $0 < change ? before : behind }
        var numbers: [Int64] = []
        for step in 0..<(48 * 4) as Range<Int64> {
            let number = schedule.period(of: .daily, at: change - .seconds(86_400) + .seconds(step * 900)).number
            if numbers.last != number { numbers.append(number) }
        }
        #expect(numbers.count <= 3 && Set(numbers).count == numbers.count)
    }

    @Test func theZoneOfThisMachineHasAnOffset() {
        #expect(abs(LocalTime.offset(at: Self.noon)) <= 14 * 3600)
        #expect(LocalTime.offset(at: Timestamp(.max)) == 0)
    }
}
