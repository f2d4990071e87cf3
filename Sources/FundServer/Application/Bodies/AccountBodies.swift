internal import FundCore

extension JSONWriter {
    mutating func field(_ user: User) {
        field("id", user.id)
        field("email", user.email)
        field("name", user.name)
        field("is_disabled", user.isDisabled)
        field("is_administrator", user.isAdministrator)
    }

    mutating func session(of user: User, until expiresAt: Timestamp?) {
        field("expires_at", expiresAt)
        object("user") { $0.field(user) }
    }

    mutating func field(_ token: TokenRecord, current: TokenRecord.ID?) {
        field("id", token.id)
        field("kind", token.kind.rawValue)
        field("label", token.label)
        field("reach", token.kind == .app ? token.reach.rawValue : nil)
        field("created_at", token.createdAt)
        field("expires_at", token.expiresAt)
        field("last_used_at", token.lastUsedAt)
        field("is_current", token.id == current)
    }

    /// - Parameter limits: those that hold for all people.
    mutating func field(_ record: UserRecord, _ limits: StorageLimits) {
        field(record.user)
        field("addresses", record.addresses)
        field("fund_count", record.fundCount)
        field("receipts", ReceiptSetting(record.user.receipts).word)
        field("news", record.user.news.rawValue)
        field("desk_digest", record.user.hasDeskDigest)
        field("language", record.user.language?.rawValue)
        field("quota", record.quota.word)
        field("quota_bytes", record.quota.limit(limits))
    }

    /// The member that changes with each file: no part of what an entity tag stands for.
    mutating func use(of record: UserRecord) { field("used_bytes", record.usedBytes) }

    mutating func field(_ record: FundRecord) {
        field("id", record.fund.id)
        field("name", record.fund.name)
        field("aliases", record.fund.aliases)
        field("owner", record.fund.owner)
        field("owner_email", record.ownerEmail)
        field("created_at", record.createdAt)
        field("email_count", record.emailCount)
        field("file_count", record.fileCount)
        field("bytes", record.bytes)
        if let former = record.fund.tookNameFrom { field("took_name_from", former) }
    }

    mutating func field(_ mailbox: MailboxState) {
        field("name", mailbox.name)
        field("address", mailbox.address)
        field("last_attempt_at", mailbox.lastAttemptAt)
        field("last_success_at", mailbox.lastSuccessAt)
        field("last_error_at", mailbox.lastErrorAt)
        field("last_error", mailbox.lastError)
        field("consecutive_failures", mailbox.consecutiveFailures)
        field("failing_since", mailbox.failingSince)
        field("waiting", mailbox.waiting)
        field("oldest_waiting_at", mailbox.oldestWaitingAt)
        field("runs", mailbox.runs)
        field("failed_messages", mailbox.failedMessages)
        field("bytes", mailbox.bytes)
        for outcome in Outcome.allCases {
            key(outcome.rawValue)
            value(mailbox.totals[outcome] ?? 0)
        }
    }

    mutating func field(_ record: MisrouteRecord) {
        field("id", record.id)
        field("sha256", record.digest.hex)
        field("received_at", record.receivedAt)
        field("source", record.reference.text)
        field("mailbox", record.reference.mailbox)
        field("outcome", record.outcome.rawValue)
        field("reason", record.reason.rawValue)
        field("detail", record.detail)
        field("sender", record.sender)
        field("user", record.user)
        field("user_email", record.userEmail)
        field("subject", record.subject)
        field("tag", record.tag)
        field("suggestions", record.suggestions)
        field("size", record.size)
        field("file_count", record.fileCount.map(Int64.init))
        field("is_unverified", record.isUnverified)
        field("relay", record.relay?.kind.rawValue)
        field("author", record.relay?.author)
        field("attempts", record.attempts)
        field("put_off_until", record.putOffUntil)
        field("resolved_at", record.resolvedAt)
        field("resolved_by", record.resolvedBy)
        switch record.resolution {
        case nil: field("resolution", nil as String?)
        case .filed: field("resolution", "filed")
        case .rejected: field("resolution", "rejected")
        }
    }

    mutating func field(_ entry: AuditEntry) {
        field("id", entry.id)
        field("at", entry.at)
        field("actor", entry.actor)
        field("action", entry.action)
        field("subject", entry.subject)
        field("detail", entry.detail)
    }
}
