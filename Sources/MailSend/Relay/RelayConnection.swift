internal import FundCore
internal import MailConnection

/// The connection of the relay, kept for the letters that follow. Its calls block on a queue of its own.
actor RelayConnection {
    private let executor = QueueExecutor(label: "fundmail.relay")
    private let route: RelayRoute
    private let cancellation: Cancellation
    private var connection: SMTPConnection?
    private var letters = 0
    private var usedAt = ContinuousClock.now

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ route: RelayRoute, _ cancellation: Cancellation) { (self.route, self.cancellation) = (route, cancellation) }

    /// Whether a letter can be handed over without connecting anew.
    var isOpen: Bool { connection?.isUsable ?? false }

    /// Whether no letter was handed over on it yet: what fails now does not fail because the connection is old.
    var isFresh: Bool { letters == 0 }

    /// Time since it was opened or used.
    var idleTime: Duration { ContinuousClock.now - usedAt }

    /// Largest message that the server takes, in bytes; nil where it does not say.
    var maxMessageBytes: Int? { connection?.maxMessageBytes }

    /// Connects, encrypts and logs in, unless it is open.
    func open() throws {
        guard !isOpen else { return }
        connection = nil
        connection = try route.access(cancellation).connect(cancellation)
        (letters, usedAt) = (0, .now)
    }

    func send(
        _ data: MessageData, from sender: OutgoingAddress?, to recipient: OutgoingAddress
    ) throws(ConnectionError) -> SendOutcome {
        guard let connection else {
            throw ConnectionError(.connectionLost, during: "SMTP", "the connection is closed")
        }
        defer { (letters, usedAt) = (letters + 1, .now) }
        return try connection.send(data, from: sender, to: recipient)
    }

    /// Logs out where it is open.
    func close() {
        connection?.quit()
        connection = nil
    }
}
