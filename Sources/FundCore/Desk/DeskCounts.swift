/// Numbers of kept messages, and when the next of them waits again.
package struct DeskCounts: Sendable, Hashable {
    package var waiting = 0
    /// Put off until later.
    package var later = 0
    /// Time at which the first of these waits again; nil for none.
    package var nextLaterAt: Timestamp?
    /// Since the day began.
    package var filedByRule = 0
    package var filedByHand = 0
    package var putAside = 0

    package init() {}
}
