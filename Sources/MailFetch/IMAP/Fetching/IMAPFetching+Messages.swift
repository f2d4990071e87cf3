internal import MailConnection
internal import FundCore

/// Asking for messages, and taking them.
extension IMAPFetching {
    /// Limit of alerts of one run; more are dropped.
    private static let maxAlerts = 10
    /// Connections over which is asked whether messages that do not come are there.
    private static let maxMissedQuestions = 2

    // MARK: Asking

    func request(from session: IMAPSession) {
        acknowledging.submit(to: session)
        if let partial = spooling.partial { return resume(partial, on: session) }
        while let window = flight.nextWindow() {
            if window.entries.contains(where: { $0.isSecondLook }) { pauseBeforeSecondLooks() }
            let isHeader = window.entries.first?.isHeaderOnly ?? false
            submit(
                window, section: isHeader ? "BODY.PEEK[HEADER]<0.\(IMAPQueue.headerBytes)>" : "BODY.PEEK[]", on: session
            )
        }
    }

    /// Asks for the rest of a large message, alone.
    private func resume(_ partial: BodySpooling.Partial, on session: IMAPSession) {
        guard flight.isIdle else { return }
        guard let entry = flight.queue.take(partial.uid) else {
            forgetPartial()
            return request(from: session)
        }
        let window = IMAPQueue.Window(set: "\(partial.uid)", entries: [entry], bytes: partial.missing)
        submit(window, section: "BODY.PEEK[]<\(partial.received).\(partial.missing)>", on: session)
    }

    private func submit(_ window: IMAPQueue.Window, section: String, on session: IMAPSession) {
        // A size that the listing lacked is asked for with the message, so that a short body is found.
        let size = window.entries.contains { $0.size == nil } ? "RFC822.SIZE " : ""
        flight.begin(
            window, as: session.submit("UID FETCH \(window.set) (UID \(size)\(section))", expecting: window.bytes))
    }

    // MARK: Answers

    func take(_ event: IMAPResponse) throws(ConnectionError) {
        switch event {
        case .fetch(let fetch): try take(fetch)
        case .tagged(let tag, let status):
            guard let session = connection.session else { return }
            if acknowledging.complete(tag, status, on: session) { return }
            if let (window, missing) = flight.end(tag) { try complete(window, missing, status) }
        case .namespace(let namespace): acknowledging.note(namespace)
        case .status, .expunge, .exists, .search, .continuation, .capability, .list, .rights, .quota, .other:
            try heed(event)
        }
    }

    /// Heeds what the server may say beside the answer to any command.
    func heed(_ event: IMAPResponse) throws(ConnectionError) {
        switch event {
        case .status(let status):
            if status.code == "ALERT", alerts < Self.maxAlerts {
                alerts += 1
                services.onNotice(.alert(String(status.text.prefix(IMAPStatus.maxLineCharacters))))
            }
            if status.code == "UIDVALIDITY", let epoch = UIDValidity(status.argument), epoch != state?.epoch {
                // The next SELECT says it again; then `noteEpoch` drops what was known.
                throw ConnectionError(.connectionLost, during: "fetching", "the mailbox was replaced")
            }
        // A message is gone, by any client: one less of those that were listed.
        case .expunge: if accounted > 0 { accounted -= 1 }
        default: break
        }
    }

    private func take(_ fetch: IMAPFetch) throws(ConnectionError) {
        let isExpected = fetch.uid.flatMap { flight.arrivals.expected[$0] } != nil
        guard fetch.body != .none, !spooling.isDiscarding || isExpected else { return }
        guard let state, let uid = fetch.uid, let entry = flight.arrivals.settle(uid) else {
            throw ConnectionError(.protocolViolation, during: "fetching", "a message that was not asked for")
        }
        if spooling.isDiscarding { return }
        guard case .received(let section, let origin, let size) = fetch.body else {
            return fail(entry, "the server does not give its bytes")
        }
        guard section == (entry.isHeaderOnly ? "BODY[HEADER]" : "BODY[]") else {
            _ = spooling.finish()
            return fail(entry, "the server gives another part of it than was asked for")
        }
        // Its bytes were dropped: only now is their number known.
        if origin ?? 0 == 0, size > UInt64(max(access.maxMessageBytes, 0)) { return refuse(entry, size: size) }
        guard let spooled = spooling.finish() else {
            throw ConnectionError(.protocolViolation, during: "fetching", "a message without its bytes")
        }
        guard size > 0 || entry.size == 0 || entry.isHeaderOnly else {
            return fail(entry, "the server gives no bytes of it")
        }
        (connection.fruitless, partialBytes) = (0, 0)
        refusals.noteCame()
        var reference = reference(entry, epoch: state.epoch)
        if !entry.isHeaderOnly {
            let announced = entry.size ?? fetch.size
            // Where the server never tells the size, the original stays, too.
            if announced == nil {
                reference.hasSizeMismatch = true
                sizeMismatches += 1
            }
            switch try SizeVerdict(of: spooled, announced: announced, isSecondLook: entry.isSecondLook) {
            case .asAnnounced: break
            case .lookAgain:
                var again = entry
                again.isSecondLook = true
                return flight.askAgain(again)
            case .differs:
                reference.hasSizeMismatch = true
                sizeMismatches += 1
            case .unavailable(let problem):
                return fail(entry, problem)
            }
        }
        let limit = entry.isHeaderOnly ? access.maxMessageBytes : nil
        flight.arrivals.add(PendingMessage(spooled, at: reference, largerThan: limit), uid: uid)
    }

    private func complete(
        _ window: IMAPQueue.Window, _ missing: [IMAPQueue.Entry], _ status: IMAPStatus
    ) throws(ConnectionError) {
        guard !missing.isEmpty, !spooling.isDiscarding else { return }
        if status.kind == .ok { return miss(missing) }
        let hint = ServerHint(line: status.line)
        refusals.noteRefused()
        if hint?.isOfServer ?? false || (refusals.areTooMany && !refusals.hasCome) {
            flight.queue.putBack(missing)
            throw ConnectionError(refusal: status.line, during: "fetching")
        }
        if window.entries.count == 1 {
            refusals.noteGivenUp(status.line, during: "fetching")
            fail(window.entries[0], status.line)
        } else {
            // One of them may be gone, or broken on the server: the others are asked for alone.
            flight.queue.putBack(
                missing.map { entry in
                    var entry = entry
                    entry.attempts += 1
                    return entry
                })
        }
        // It must not delay the messages behind it.
        if refusals.areOthersFirst { flight.queue.postponeDoubtful() }
        if refusals.areTooMany {
            for entry in flight.queue.remove(where: { _ in true }) { fail(entry, FetchPatience.notAskedFor) }
        }
    }

    // MARK: Messages that do not come

    /// The server says OK, and these did not come. They are asked for once more.
    private func miss(_ missing: [IMAPQueue.Entry]) {
        missed += missing.filter(\.isMissed)
        flight.queue.putBack(
            missing.filter { !$0.isMissed }.map { entry in
                var entry = entry
                entry.isMissed = true
                return entry
            })
    }

    /// Asks whether messages that were asked for twice and did not come are in the mailbox: other clients may have
    /// removed them, and EXPUNGE does not say whom it is about.
    func settleMissed(on session: IMAPSession) throws(ConnectionError) {
        guard !missed.isEmpty else { return }
        let there = try findMissed(on: session)
        let (entries, gone) = (missed, missed.filter { !there.contains($0.uid) })
        (missed, missedQuestions) = ([], 0)
        for entry in entries where there.contains(entry.uid) {
            fail(entry, "the server says that it gives it, and does not")
        }
        guard !gone.isEmpty else { return }
        noteGone(gone.map(\.uid))
        services.onNotice(.vanished(count: gone.count))
    }

    /// All of them where the server does not say.
    private func findMissed(on session: IMAPSession) throws(ConnectionError) -> Set<UID> {
        missedQuestions += 1
        // The line was lost at the question, and again at its repetition.
        if missedQuestions > Self.maxMissedQuestions { return Set(missed.map(\.uid)) }
        var there: Set<UID> = []
        for set in UIDSet.texts(missed.map(\.uid).sorted()) {
            let asked = Set(set.uids)
            // Until it has said EXPUNGE, a server may find what is gone (RFC 2180 §4).
            _ = session.submit("NOOP")
            let question = session.submit("UID SEARCH UID \(set.text)")
            // Only those that were asked for: a server may talk on and on.
            var found: Set<UID>?
            answer: while true {
                let event = try session.next()
                switch event {
                case .tagged(question, _): break answer
                case .search(let uids): found = (found ?? []).union(uids.filter(asked.contains))
                default: try take(event)
                }
            }
            there.formUnion(found ?? asked)
        }
        return there
    }

    /// The beginning of a large message is of no use any more.
    func forgetPartial() {
        spooling.forget()
        partialBytes = 0
    }

    /// The server announced less than it sends: it is recorded by its header, as if its size had been known.
    func refuse(_ entry: IMAPQueue.Entry, size: UInt64) {
        guard !entry.isHeaderOnly else { return fail(entry, "its header alone is larger than a message may be") }
        refused.insert(entry.uid)
        flight.askAgain(IMAPQueue.Entry(uid: entry.uid, size: size, position: entry.position, isHeaderOnly: true))
    }

    /// Gives the pipeline a message that cannot be fetched: it stays on the server, and the next one flows.
    func fail(_ entry: IMAPQueue.Entry, _ problem: String) {
        guard let state else { return }
        let reference = reference(entry, epoch: state.epoch)
        flight.arrivals.add(PendingMessage(unavailable: problem, at: reference), uid: entry.uid)
    }

    private func reference(_ entry: IMAPQueue.Entry, epoch: UIDValidity) -> SourceReference {
        SourceReference(
            mailbox: access.name, place: IMAPPlace(epoch: epoch, uid: entry.uid).text,
            announcedBytes: entry.size.map { Int64(clamping: $0) })
    }
}
