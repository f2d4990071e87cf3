/// The work that a worker takes.
package struct PreviewJobFilter: Sendable, Hashable {
    /// The least urgent work that is taken.
    package var leastUrgent: PreviewOrder.Priority
    /// Families of files that are left out.
    package var excluded: Set<TrueType.Family> = []
    /// Second attempts too: they run alone. Of scans all further attempts.
    package var includesSecondAttempts = false
    /// Scans, or all else.
    package var isForScans = false
    /// No recognition of words.
    package var excludesRecognition = false
    /// The latest first among equally urgent work.
    package var isLatestFirst = false

    package init(leastUrgent: PreviewOrder.Priority) { self.leastUrgent = leastUrgent }
}
