/// Clock of a client that signs its calls with the time.
package enum ClientClock {
    /// How far it may differ from the server's.
    package static let maxDifference = Duration.seconds(300)
}
