/// Record of what is said on a connection, for `--trace`: no secrets, nothing of any message.
package struct Transcript: Sendable {
    private let sink: @Sendable (String) -> Void

    /// `sink` gets one line at a time, without its end, from the thread of the session.
    package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    /// Notes an event of the connection.
    package func note(_ text: @autoclosure () -> String) { sink("* \(text())") }
    /// Notes what this side sends.
    package func client(_ text: @autoclosure () -> String) { sink("C: \(text())") }
    /// Notes what the server sends.
    package func server(_ text: @autoclosure () -> String) { sink("S: \(text())") }
}
