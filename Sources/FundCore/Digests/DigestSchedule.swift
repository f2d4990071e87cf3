/// The times at which digests are due. A period is known by its number alone, so that a clock that jumps gives no two
/// digests of one period, and delays none for longer than a period.
package struct DigestSchedule: Sendable {
    /// Length of a period of digests at once: letters of one person are at least that far apart.
    package static let shortest = Duration.seconds(10)
    private static let (hourSeconds, daySeconds) = (Int64(3600), Int64(CivilDate.secondsPerDay))

    /// Hour of the day at which daily digests are due, 0 to 23.
    package var hour: Int
    /// Seconds by which the clocks of people are ahead of UTC at a time.
    package var offset: @Sendable (Timestamp) -> Int

    package static let usualHour = 8

    /// - Parameter offset: that of this machine unless given.
    package init(
        hour: Int = Self.usualHour, offset: @escaping @Sendable (Timestamp) -> Int = { LocalTime.offset(at: $0) }
    ) {
        (self.hour, self.offset) = (hour, offset)
    }

    /// The period that has begun last.
    package func period(of pace: NewsPace, at now: Timestamp) -> DigestPeriod {
        let number =
            switch pace {
            case .off, .atOnce: Self.number(now.rawValue, Self.shortest.components.seconds)
            case .hourly: Self.number(now.rawValue, Self.hourSeconds)
            case .daily:
                Self.number(
                    (now + .seconds(offset(now)) - .seconds(Int64(hour) * Self.hourSeconds)).rawValue, Self.daySeconds)
            }
        return DigestPeriod(pace: pace, number: number)
    }

    private static func number(_ seconds: Int64, _ length: Int64) -> Int64 {
        let (quotient, rest) = seconds.quotientAndRemainder(dividingBy: length)
        return rest < 0 ? quotient - 1 : quotient
    }
}
