/// The figures of one slot of a period.
package struct HealthSlot: Sendable, Hashable {
    package var start: Timestamp
    package var sample: HealthSample

    package init(start: Timestamp, sample: HealthSample) {
        self.start = start
        self.sample = sample
    }
}
