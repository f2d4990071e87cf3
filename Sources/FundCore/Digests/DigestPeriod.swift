/// A time for which a person gets one digest at most.
package struct DigestPeriod: Sendable, Hashable {
    package var pace: NewsPace
    /// Number of the period, from the one in which 1970 began: of ten seconds, an hour, or a day that begins at the
    /// hour of daily digests.
    package var number: Int64

    package init(pace: NewsPace, number: Int64) { (self.pace, self.number) = (pace, number) }
}
