/// Decides about a transfer after an attempt that failed.
struct FailurePolicy: Sendable {
    enum Outcome: Sendable, Hashable {
        /// Another attempt after so long.
        case again(Duration)
        /// Another attempt gives the same.
        case failed
        /// No transfer can go on: the session has ended, or the server is not who it should be.
        case stop
    }

    var backoff = Backoff(first: .seconds(1), most: .seconds(300))
    /// For files that are written to while they are sent: longer, since the writer has to end first.
    var changeBackoff = Backoff(first: .seconds(4), most: .seconds(300))

    /// - Parameter attempts: in a row that failed, this one included; those that brought bytes do not count, and of
    ///   those whose bytes were of no use only these.
    func outcome(of error: ClientError, attempts: Int) -> Outcome {
        switch error.code {
        case .unauthenticated, .certificate: return .stop
        default: break
        }
        guard attempts < Self.most(for: error.code) else { return .failed }
        let backoff = error.code == .changedHere ? changeBackoff : backoff
        return .again(backoff.delay(after: attempts, asked: error.retryAfter))
    }

    /// Attempts in a row. Without a network it goes on for about a day; a server that fails at the same thing again and
    /// again is given up sooner; what needs people is not tried again.
    private static func most(for code: ClientError.Code) -> Int {
        switch code {
        case .unreachable, .timedOut, .interrupted, .busy, .foreign: 500
        case .serverFault, .noSpaceOnServer: 8
        // A file that is written to for a minute and longer cannot be sent.
        case .changedHere: 5
        // Bytes that come damaged may come well another time; what the server has lost will not come back.
        case .damaged: 3
        default: 1
        }
    }
}
