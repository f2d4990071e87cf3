import FundCore
import Ingest
import Logging

/// What the daemon writes down. Subjects and senders stay out of it: they are in the report of misrouted mail.
enum WatchLog {
    static func write(_ event: IngestEvent, to logger: Logger) {
        switch event {
        case .stored(let message):
            let source = message.message.reference.text
            switch message.outcome {
            case .filed, .duplicate: logger.debug("\(message.outcome.rawValue): \(source)")
            case .misrouted, .rejected:
                let show = message.misrouteID.map { "; `fundmail misrouted show \($0)`" } ?? ""
                logger.warning("kept, not filed: \(source): \(message.reason?.rawValue ?? "unknown")\(show)")
            }
        case .failed(let reference, let error): logger.warning("not fetched: \(reference.text): \(error)")
        }
    }

    /// `isFirst`: since the start, or after a failure.
    static func write(_ summary: RunSummary, isFirst: Bool, at address: String, to logger: Logger) {
        if isFirst { logger.notice("connected to \(address)") }
        guard summary.seen > 0 else { return }
        var parts = Outcome.allCases.compactMap { outcome in
            summary.outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        if summary.failed > 0 { parts.append("\(summary.failed) not fetched") }
        let seconds = Quantity.oneDecimal(summary.seconds)
        logger.notice("\(parts.joined(separator: ", ")); \(Quantity.display(bytes: summary.bytes)) in \(seconds) s")
    }

    static func write(_ problem: String, pace: Backoff.Pace, pause: Duration, to logger: Logger) {
        let level: Logger.Level = pace == .temporary ? .warning : .error
        logger.log(level: level, "\(problem) Trying again in \(Quantity.oneDecimal(pause.seconds)) s.")
    }
}
