internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let mailboxRoutes: [PageRoute] = [
        .office("/office/mailboxes") { call in
            let reports = try await call.parts.mailboxes.reports()
            let view = MailboxView(words: call.words, formats: call.formats)
            var model: PageModel = [
                "isOffice": true, "atMailboxes": true, "rows": reports.map(view.row), "isEmpty": reports.isEmpty,
            ]
            if let name = try call.query()["polled"], let poll = try await call.parts.mailboxes.lastPoll(of: name) {
                model["polled"] = view.result(poll)
            }
            return call.page("mailboxes", model, title: call.words("mailboxes.title"))
        },
        .officeAct("/office/mailboxes/{mailbox}/poll") { call, _ in
            let poll = try await call.parts.mailboxes.poll(try call.mailbox(), actor: try call.user.email)
            return call.redirect(to: "/office/mailboxes" + PageQueryText.text([("polled", poll.mailbox)]))
        },
    ]
}

/// One mailbox on the page of the mailboxes.
private struct MailboxView {
    let words: Words
    let formats: Formats

    func row(_ report: MailboxReport) -> PageModel {
        let state = report.state
        var row: PageModel = [
            "name": state.name, "condition": condition(report), "level": Self.level(report.condition),
            "isPolled": report.condition != .notConfigured,
        ]
        // Where an outer model has the same name, only what is there hides it.
        row["failing"] = report.condition == .failing ? state.failingSince.map(formats.agingTime) : nil
        row["server"] = state.address
        row["succeeded"] = state.lastSuccessAt.map(formats.agingTime)
        row["waiting"] = state.waiting > 0 ? words.count("mailboxes.waiting", state.waiting) : nil
        row["oldest"] = state.waiting > 0 ? state.oldestWaitingAt.map(formats.agingTime) : nil
        row["totals"] = state.runs > 0 ? totals(state) : nil
        if let error = state.lastError, let time = state.lastErrorAt {
            // The name stands above it.
            let text = String(error.trimmingPrefix("Mailbox \(state.name): "))
            row["problem"] =
                [
                    "text": text, "time": formats.agingTime(time),
                    "isOver": state.consecutiveFailures == 0,
                ] as PageModel
        }
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

    private func condition(_ report: MailboxReport) -> String {
        guard report.condition == .failing else { return words("mailboxes.\(report.condition.rawValue)") }
        return words.count("mailboxes.failing", report.state.consecutiveFailures)
    }

    private static func level(_ condition: MailboxReport.Condition) -> String {
        switch condition {
        case .ok: "ok"
        case .failing: "failure"
        case .neverPolled, .notConfigured: "warning"
        }
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
