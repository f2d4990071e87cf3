/// A logged-in connection to a server. Used by one thread at a time; blocks.
protocol ByteChannel: AnyObject {
    typealias Instant = ContinuousClock.Instant

    /// Waits for bytes and takes as many as have come. At least 1; throws `connectionLost` at the end of the stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer, until deadline: Instant) throws(FetchError) -> Int
    /// Sends all.
    func send(_ bytes: [UInt8], until deadline: Instant) throws(FetchError)
    /// While true, a cancellation does not end waits: what is durable here may still be told to the server.
    var ignoresCancellation: Bool { get set }
    /// Capabilities that the server named during the login, in capitals.
    var announced: Set<String> { get }
}

extension ByteChannel {
    var announced: Set<String> { [] }
}

/// Takes down what is said on a connection, for `--trace`: no secrets, nothing of any message.
package struct Transcript: Sendable {
    private let sink: @Sendable (String) -> Void

    /// `sink` gets one line at a time, without its end, from the thread of the session.
    package init(sink: @escaping @Sendable (String) -> Void) { self.sink = sink }

    func note(_ text: @autoclosure () -> String) { sink("* \(text())") }
    func client(_ text: @autoclosure () -> String) { sink("C: \(text())") }
    func server(_ text: @autoclosure () -> String) { sink("S: \(text())") }
}
