/// Numbers of kept messages.
package struct DeskCounts: Sendable, Hashable {
    package var waiting = 0
    /// Put off until later.
    package var later = 0
    /// Since the day began.
    package var filedByRule = 0
    package var filedByHand = 0
    package var putAside = 0

    package init() {}
}
