import FundCore
import Logging
import NewsFetch
import Terminal

/// Writes to the log what comes of feeds.
struct NewsLog: Sendable {
    private let logger = Logger(label: "fundmail.news")

    func write(_ event: NewsEvent) {
        switch event {
        case .storeFailed(let error):
            logger.warning("no feed is fetched now: \(CommandError(error).message)")
        case .fetched(let report):
            let level: Logger.Level = if case .failed = report.result.outcome { .info } else { .debug }
            logger.log(level: level, "\(Self.words(report))")
        }
    }

    /// The result of a fetch on one line.
    static func words(_ report: NewsReport) -> String {
        let address = TerminalText.clean(report.address)
        switch report.result.outcome {
        case .unchanged: return "\(address): nothing new"
        case .changed:
            let (new, changed) = (report.counts.new, report.counts.changed)
            return "\(address): \(new) new, \(changed) changed"
        case .failed(let problem, let detail):
            return "\(address): \(TerminalText.clean("\(NewsError(problem, detail))"))"
        }
    }
}
