/// Record of what is said on a connection, for `--trace`: no secrets, nothing of any message.
package struct Transcript: Sendable {
    private let sink: @Sendable (String) -> Void

    /// `sink` gets one line at a time, without its end, from the thread of the session.
    package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    package func note(_ text: @autoclosure () -> String) { sink("* \(text())") }
    package func client(_ text: @autoclosure () -> String) { sink("C: \(text())") }
    package func server(_ text: @autoclosure () -> String) { sink("S: \(text())") }
}
