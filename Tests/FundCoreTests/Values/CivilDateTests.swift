import FundCore
import Testing

struct CivilDateTests {
    @Test(arguments: [
        (0, CivilDate(year: 1970, month: 1, day: 1)), (-1, CivilDate(year: 1969, month: 12, day: 31)),
        (11_016, CivilDate(year: 2000, month: 2, day: 29)), (11_017, CivilDate(year: 2000, month: 3, day: 1)),
        (-719_468, CivilDate(year: 0, month: 3, day: 1)), (-719_162, CivilDate(year: 1, month: 1, day: 1)),
        (2_932_896, CivilDate(year: 9999, month: 12, day: 31)),
    ])
    func knowsTheDay(_ days: Int, _ date: CivilDate) {
        #expect(CivilDate(daysSince1970: days) == date)
        #expect(date.daysSince1970 == days)
    }

    /// Every day from the year -400 to 4000 comes back, after the day before it.
    @Test
    func countsOneAfterTheOther() {
        var last = CivilDate(daysSince1970: -865_800)
        for days in -865_799...741_500 {
            let date = CivilDate(daysSince1970: days)
            guard date.daysSince1970 == days else {
                Issue.record("\(days) is \(date)")
                return
            }
            let isNext = date.day == last.day + 1 && date.month == last.month && date.year == last.year
            let isFirst = date.day == 1 && last.day >= 28 && (date.month == last.month + 1 || date.month == 1)
            #expect(isNext || isFirst)
            last = date
        }
    }

    /// Dates of mail may overflow: 31 February is 3 March, in a year without a leap day.
    @Test
    func countsOnIntoTheNextMonth() {
        #expect(
            CivilDate(year: 2026, month: 2, day: 31).daysSince1970
                == CivilDate(year: 2026, month: 3, day: 3).daysSince1970)
    }
}
