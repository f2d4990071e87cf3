internal import FundCore

/// One mailbox on the page of the mailboxes.
struct MailboxView {
    let words: Words
    let formats: Formats

    func row(_ report: MailboxReport) -> PageModel {
        let (mailbox, state) = (report.state, MailboxHealth(report, now: formats.now))
        // Where an outer model has the same name, only what is there hides it.
        var row: PageModel = [
            "name": mailbox.name, "state": ["parts": word(for: state, mailbox)] as PageModel,
            "level": state.level.rawValue, "isPolled": report.condition != .notConfigured,
            "lines": lines(for: state, mailbox),
        ]
        row["server"] = mailbox.address
        row["totals"] = mailbox.runs > 0 ? totals(mailbox) : nil
        if let certificate = report.certificate {
            row["certificate"] =
                [
                    "until": formats.time(certificate.expiresAt), "seen": formats.agingTime(certificate.seenAt),
                    "isEnding": certificate.expiresAt < formats.now + SeenCertificate.leastTime,
                ] as PageModel
        }
        if let token = report.token {
            row["token"] =
                [
                    "until": token.expiresAt.map(formats.exactTime), "fetched": formats.agingTime(token.fetchedAt),
                    "isPast": token.isExpired(at: formats.now), "isRenewed": token.isRenewed,
                    // A connection that lasts outlives the token of its login; the next login fetches another.
                    "isExpired": token.isExpired(at: formats.now) && !token.isRenewed,
                ] as PageModel
        }
        return row
    }

    private func word(for state: MailboxHealth, _ mailbox: MailboxState) -> [PageModel] {
        switch state {
        case .working: words.parts("mailboxes.ok")
        case .behind(let since): words.parts("mailboxes.behind", [formats.lasting(since: since)])
        case .failing:
            mailbox.failingSince.map { words.parts("mailboxes.failing", [formats.lasting(since: $0)]) }
                ?? words.parts("mailboxes.failing.now")
        case .neverPolled: words.parts("mailboxes.never_polled")
        case .unknown: words.parts("mailboxes.unknown")
        case .notConfigured: words.parts("mailboxes.not_configured")
        }
    }

    /// The consequences for mail, and what to do, in sentences.
    private func lines(for state: MailboxHealth, _ mailbox: MailboxState) -> [PageModel] {
        var lines: [PageModel] = []
        func say(_ key: String, _ values: PageModel..., tone: String = "plain") {
            lines.append(["parts": words.parts(key, values), "tone": tone])
        }
        let success = mailbox.lastSuccessAt
        switch state {
        case .failing:
            if let success {
                say("mailboxes.nothingsince", formats.moment(success), tone: "why")
            } else {
                say("mailboxes.nosuccess", tone: "why")
            }
            say("mailboxes.todo")
        case .neverPolled: say("mailboxes.firstvisit")
        case .notConfigured: say("mailboxes.unvisited")
        case .unknown: say("mailboxes.silent", tone: "warn")
        case .working, .behind:
            if mailbox.waiting == 0 {
                say("mailboxes.nothingwaits")
            } else {
                let count: PageModel = ["plain": words.count("mailboxes.waiting", mailbox.waiting)]
                if let oldest = mailbox.oldestWaitingAt {
                    say("mailboxes.oldest", count, formats.lasting(since: oldest))
                } else {
                    say("mailboxes.some", count)
                }
            }
        }
        if let success { say("mailboxes.success", formats.aging(success), tone: "hint") }
        if let error = mailbox.lastError, let time = mailbox.lastErrorAt {
            // The name stands above it.
            let text: PageModel = ["english": String(error.trimmingPrefix("Mailbox \(mailbox.name): "))]
            if mailbox.consecutiveFailures > 0 {
                let runs: PageModel = ["plain": words.count("mailboxes.failed", mailbox.consecutiveFailures)]
                say("mailboxes.said", runs, formats.aging(time), text, tone: "why")
            } else {
                say("mailboxes.over", formats.aging(time), text, tone: "hint")
            }
        }
        return lines
    }

    /// Over all runs.
    private func totals(_ state: MailboxState) -> String {
        let counts = list(state.totals, state.failedMessages)
        let messages = counts.isEmpty ? words("mailboxes.none") : counts + " · " + formats.size(state.bytes)
        return words("mailboxes.totals", words.count("mailboxes.runs", state.runs), messages)
    }

    /// `1 filed, 1 kept`; what did not occur is left out.
    private func list(_ counts: [Outcome: Int], _ failedMessages: Int) -> String {
        let parts = Outcome.allCases.compactMap { outcome -> String? in
            guard let count = counts[outcome], count > 0 else { return nil }
            return words("mailboxes.count.\(outcome.rawValue)", "\(count)")
        }
        let failed = failedMessages > 0 ? [words("mailboxes.count.failed", "\(failedMessages)")] : []
        return (parts + failed).joined(separator: words("list.comma"))
    }

    /// The outcome of a run that was asked for.
    func result(_ poll: MailboxService.Poll) -> PageModel {
        let name = words.isolated(poll.mailbox)
        guard let outcome = poll.outcome else { return ["text": words("mailboxes.running", name), "isLoss": false] }
        var text: String
        if outcome.messageCount + outcome.failedMessages == 0 {
            text = words("mailboxes.nothing", name)
        } else {
            let found = words.count("mailboxes.new", outcome.messageCount + outcome.failedMessages)
            text = words("mailboxes.came", name, found, list(outcome.counts, outcome.failedMessages))
        }
        if let problem = outcome.problem {
            let isEmpty = outcome.messageCount == 0
            text = (isEmpty ? "" : text + " ") + words.isolated(problem)
        }
        if poll.start == .underWay { text += " " + words("mailboxes.joined") }
        return ["text": text, "isLoss": outcome.problem != nil]
    }
}

extension MailboxHealth {
    /// The dot beside the word.
    var level: HealthChecks.Level {
        switch self {
        case .working: .ok
        case .behind: .warning
        case .failing: .failure
        case .neverPolled, .unknown, .notConfigured: .unknown
        }
    }
}
