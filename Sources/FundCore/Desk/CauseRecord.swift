/// Open messages that one act puts right.
package struct CauseRecord: Sendable, Hashable {
    /// The oldest of them. Its number names the cause, see `MisrouteFilter.like`.
    package var first: MisrouteRecord
    package var count: Int

    package init(first: MisrouteRecord, count: Int) {
        self.first = first
        self.count = count
    }
}
