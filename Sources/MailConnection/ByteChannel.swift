/// A logged-in connection to a server. Used by one thread at a time; blocks.
package protocol ByteChannel: AnyObject {
    typealias Instant = ContinuousClock.Instant

    /// Waits for bytes and takes as many as have come. At least 1; throws `connectionLost` at the end of the stream.
    func receive(into buffer: UnsafeMutableRawBufferPointer, until deadline: Instant) throws(ConnectionError) -> Int
    /// Sends all.
    func send(_ bytes: [UInt8], until deadline: Instant) throws(ConnectionError)
    /// While true, a cancellation does not end waits: what is durable here may still be told to the server.
    var ignoresCancellation: Bool { get set }
    /// Capabilities that the server named during the login, in capitals.
    var announced: Set<String> { get }
}

extension ByteChannel {
    package var announced: Set<String> { [] }
}
