internal import MailConnection
import FundCore
import FundStore
import Ingest
import Logging
import MailFetch
import MailParse
import MailWatch
import Terminal

/// Writes what happens in a mailbox to the log, or the messages of a `poll` to its output. Subjects and senders stay
/// out of the log: the report of misrouted mail shows them.
struct MailboxLog: MailboxObserver {
    private let mailbox: MailboxConfiguration
    private let output: PollOutput?
    private let logger: Logger

    /// - Parameter output: that of `poll`; nil in a program that keeps running.
    init(_ mailbox: MailboxConfiguration, output: PollOutput? = nil) {
        (self.mailbox, self.output) = (mailbox, output)
        var logger = Logger(label: "fundmail.mailbox")
        logger[metadataKey: "mailbox"] = "\(mailbox.name)"
        self.logger = logger
    }

    func problem(of result: MailboxResult) -> String? {
        result.error.map { CommandError($0, at: mailbox).message }
            ?? (result.summary.wasInterrupted ? "The run was interrupted." : nil)
    }

    func observe(_ event: MailboxEvent) {
        switch event {
        case .message(let event): if let output { output.take(event) } else { write(event) }
        case .notice(let notice): write(notice)
        case .addressChanged:
            logger.notice("it is at another address than before: what is there is taken for new, and recognised")
        case .polled(let result): output?.finish(result)
        case .succeeded(let summary, let isFirst): write(summary, isFirst: isFirst)
        case .copiesRefused(let result): logger.error("\(problem(of: result) ?? "")")
        case .failed(let result, let pause, let isTemporary):
            let seconds = Quantity.oneDecimal(pause.seconds)
            logger.log(
                level: isTemporary ? .warning : .error, "\(problem(of: result) ?? "") Trying again in \(seconds) s.")
        case .connectionLost(let error): logger.info("the line dropped while waiting for mail: \(error)")
        }
    }

    private func write(_ event: IngestEvent) {
        switch event {
        case .stored(let message):
            let source = message.message.reference.text
            switch message.outcome {
            case .filed where message.copy != nil:
                let copy = message.copy.map { "\($0.email)" } ?? ""
                logger.warning("filed: \(source); a copy had been filed by hand for another person, as email \(copy)")
            case .filed, .duplicate: logger.debug("\(message.outcome.rawValue): \(source)")
            case .misrouted, .rejected:
                let show = message.misrouteID.map { "; `fundmail misrouted show \($0)`" } ?? ""
                logger.warning("kept, not filed: \(source): \(message.reason?.rawValue ?? "unknown")\(show)")
            }
        case .failed(let reference, let error): logger.warning("not fetched: \(reference.text): \(error)")
        }
    }

    private func write(_ summary: RunSummary, isFirst: Bool) {
        if isFirst { logger.notice("connected to \(mailbox.server.text)") }
        guard summary.seen > 0 else { return }
        let (bytes, seconds) = (Quantity.display(bytes: summary.bytes), Quantity.oneDecimal(summary.seconds))
        logger.notice("\(summary.counts(failed: "not fetched")); \(bytes) in \(seconds) s")
    }

    /// At a level by whether a person should act.
    private func write(_ notice: MailboxNotice) {
        switch notice {
        case .alert(let text): logger.warning("the server says: \(text)")
        case .readOnly:
            logger.warning("the folder cannot be changed: what was filed stays there and is remembered here")
        case .reconnecting(let code): logger.info("the line dropped (\(code.rawValue)); connecting again")
        case .epochChanged:
            logger.warning("the server numbers its messages anew (UIDVALIDITY): all are fetched again and recognised")
        case .vanished(let count): logger.info("\(count) messages were gone before they could be fetched")
        case .leftMarkedDeleted(let count):
            logger.warning(
                """
                \(count) messages are marked deleted but still there: the server cannot remove single messages \
                (UIDPLUS), and others may have marked some, too
                """)
        case .sizeMismatch(let count):
            logger.warning(
                """
                \(count) messages have another size than the server announces, also when asked for again: they are \
                taken in with the defect size_mismatch, the server's copies stay there and are not fetched again; \
                compare them with what was filed, and move one to another folder and back to have it fetched anew
                """)
        case .ambiguousIdentity(let count):
            logger.warning("the server gives \(count) messages no name of their own: they are fetched each time")
        }
    }
}

extension Workspace {
    /// The parts that runs over mailboxes share. Events go to `output` where there is one, else to the log.
    func pollingParts(
        _ store: FundStore, _ parser: ParserPool, for holder: String, until cancellation: Cancellation,
        trace: TraceFile?,
        output: PollOutput? = nil
    ) -> PollingParts {
        var parts = PollingParts(
            store: store.mail, parser: parser, rules: configuration.pollingRules, cancellation: cancellation
        ) { MailboxLog($0, output: output) }
        parts.batchLimits = DebugSwitches.batchLimits()
        parts.holder = holder
        if let trace { parts.transcript = { trace.transcript(of: $0) } }
        return parts
    }
}

extension Configuration {
    var pollingRules: PollingRules { PollingRules(routing: routing, limits: limits, receipts: receipts) }
}
