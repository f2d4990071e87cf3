internal import FundCore

extension JSONWriter {
    mutating func field(_ report: MailboxReport) {
        field(report.state)
        field("condition", report.condition.rawValue)
        field("configured", report.condition != .notConfigured)
        field("certificate_expires_at", report.certificate?.expiresAt)
        field("certificate_seen_at", report.certificate?.seenAt)
        key("token")
        if let token = report.token { object { $0.field(token) } } else { null() }
    }

    private mutating func field(_ token: SeenToken) {
        field("expires_at", token.expiresAt)
        field("fetched_at", token.fetchedAt)
        field("is_renewed", token.isRenewed)
    }

    mutating func field(_ poll: MailboxService.Poll) {
        let outcome = poll.outcome
        field("status", outcome.map { $0.problem == nil ? "done" : "failed" } ?? "running")
        field("was_under_way", poll.start == .underWay)
        for kind in Outcome.allCases {
            key(kind.rawValue)
            value(outcome?.counts[kind] ?? 0)
        }
        field("failed_messages", outcome?.failedMessages ?? 0)
        field("error", outcome?.problem)
    }

    mutating func field(_ findings: DoctorService.Findings) {
        field("is_checking", findings.isChecking)
        key("local")
        round(findings.local)
        key("servers")
        round(findings.servers)
    }

    private mutating func round(_ round: DoctorService.Round?) {
        object { json in
            json.field("checked_at", round?.checkedAt)
            json.field("checked_by", round?.actor)
            json.objects("findings", round?.findings ?? []) { json, finding in
                json.field("level", finding.level.rawValue)
                json.field("subject", finding.subject.rawValue)
                json.field("mailbox", finding.mailbox)
                json.field("text", finding.text)
            }
        }
    }
}
