package import FundCore

/// Bounds of what one child may take, whatever its store does.
package struct RunLimits: Sendable {
    /// The least pace at which bytes come and go.
    package var pace = DrivePace()
    /// Bytes that a listing, or another answer, may bring: some 200,000 entries as talkative stores write them. rclone
    /// has them all in memory.
    package var maxAnswerBytes = 256 << 20
    /// Bytes of memory that a child which reads files may write to: some 120 MB suffice. A store may answer without end
    /// where it is asked for a file, too.
    package var readingBytes = 512 << 20
    /// The longest wait for a child, since others keep theirs for minutes; nil for as long as it takes.
    package var maxWait: Duration? = .seconds(20)
    /// Time that a write which failed waits until its part is removed. It goes on to be removed afterwards.
    package var cleanWait = Duration.seconds(5)
    /// Seconds after which the removal of a part is ended.
    package var cleanSeconds = 30.0
    /// The longest wait for an answer of a place that gives tokens.
    package var tokenWait = Duration.seconds(30)

    package init() {}
}
