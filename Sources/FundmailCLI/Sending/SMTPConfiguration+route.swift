internal import MailConnection
import FundCore
import FundServer
import FundStore
import MailSend
import Terminal

extension SMTPConfiguration {
    /// The route of letters to this server.
    ///
    /// - Parameters:
    ///   - deadlines: of the connection; nil for the usual ones.
    ///   - trace: nil: what is said to the server is not written down.
    func route(deadlines: SMTPDeadlines? = nil, trace: TraceFile? = nil) -> RelayRoute {
        RelayRoute(sender: from) { cancellation in
            var access = try self.access(cancellation: cancellation)
            if let deadlines { access.deadlines = deadlines }
            access.transcript = trace?.transcript(of: "smtp")
            return access
        } advice: { error in
            var words = CommandError(error, at: self).message
            while words.last == "." { words.removeLast() }
            return "\(words)."
        }
    }
}

extension SMTPDeadlines {
    /// For a command that a timer starts, which is not to wait for a server that does not answer.
    static var ofPoll: SMTPDeadlines {
        var deadlines = SMTPDeadlines()
        deadlines.connection.connect = .seconds(20)
        deadlines.connection.loginResponse = .seconds(20)
        deadlines.connection.login = .seconds(30)
        deadlines.reply = .seconds(30)
        deadlines.stall = .seconds(30)
        return deadlines
    }
}

extension OutboxRelay {
    /// The relay of a program on its store.
    ///
    /// - Parameters:
    ///   - live: the configuration as it is when a letter is written.
    ///   - route: nil as long as no server is configured.
    convenience init(
        _ store: FundStore, _ live: LiveConfiguration, _ route: RelayRoute?, digests: DigestQueue? = nil,
        observe: @escaping @Sendable (RelayEvent) -> Void
    ) {
        let digests = digests ?? DigestQueue(store, live)
        let places = { @Sendable in live.value.letterPlaces }
        let composer = DigestComposer(facts: store.outbox, places: places) { user, kind in
            try UnsubscribeSeal(serverKey: store.accounts.serverKey()).token(user, kind)
        }
        let writer = LetterWriter(
            facts: store.outbox, contents: { try store.letters.content(of: $0) }, digests: composer, places: places)
        self.init(
            store.outbox, writer, queueDue: { try await digests.queueDue() }, route: route,
            commits: store.library.commits, observe: observe)
    }
}
