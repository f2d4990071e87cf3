/// Clock of a client that signs its calls with the time.
package enum ClientClock {
    /// Largest difference from the server's clock.
    package static let maxDifference = Duration.seconds(300)
}
