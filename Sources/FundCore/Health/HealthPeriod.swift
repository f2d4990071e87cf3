/// The time that figures cover. Raw values stand in addresses.
package enum HealthPeriod: String, Sendable, Hashable, CaseIterable {
    case hour, day, week

    /// Seconds that one slot stands for.
    package var slotSeconds: Int64 {
        switch self {
        case .hour: 60
        case .day: 600
        case .week: 3600
        }
    }

    /// Number of slots that are kept: as many as make up the period.
    package var slotCount: Int64 {
        switch self {
        case .hour: 60
        case .day: 144
        case .week: 168
        }
    }

    /// Start of the slot of this time, in whole slots since 1970.
    package func slotStart(_ time: Timestamp) -> Timestamp {
        let remainder = time.rawValue % slotSeconds
        return Timestamp(time.rawValue - (remainder < 0 ? remainder + slotSeconds : remainder))
    }

    /// Starts of the oldest and the newest slot.
    package func range(now: Timestamp) -> ClosedRange<Timestamp> {
        let newest = slotStart(now - .seconds(HealthPeriod.hour.slotSeconds))
        return (newest - .seconds((slotCount - 1) * slotSeconds))...newest
    }
}
