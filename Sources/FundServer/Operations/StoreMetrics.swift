internal import FundCore

/// Metrics of the store and its mailboxes.
struct StoreMetrics: Sendable {
    let store: ServerStore
    /// The current time.
    let now: @Sendable () -> Timestamp

    /// The metrics as the store is now. Throws the error of the store.
    func families() async throws -> [MetricFamily] {
        try await mailboxFamilies(store.mail.mailboxStates()) + keptFamilies()
            + tokenFamilies(store.accounts.tokens(of: nil)) + linkFamilies()
            + roomFamilies()
    }

    private func roomFamilies() async throws -> [MetricFamily] {
        let (used, limit) = (try await store.administration.storedBytes(), store.administration.storageLimits.store)
        return [
            MetricFamily(
                "fundmail_files_bytes", .gauge, "Bytes that count for all people together.",
                [MetricFamily.Sample(Double(used))]),
            MetricFamily(
                "fundmail_files_limit_bytes", .gauge, "The most that they may be; none without a limit.",
                limit.map { [MetricFamily.Sample(Double($0))] } ?? []),
        ]
    }

    private func linkFamilies() async throws -> [MetricFamily] {
        let count = try await store.links.countLive(at: now())
        return [
            MetricFamily(
                "fundmail_share_links", .gauge, "Share links that were neither ended nor have expired.",
                [MetricFamily.Sample(Double(count))])
        ]
    }

    private func mailboxFamilies(_ mailboxes: [MailboxState]) -> [MetricFamily] {
        typealias Sample = MetricFamily.Sample
        func family(
            _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ value: (MailboxState) -> Double?
        ) -> MetricFamily {
            MetricFamily(
                "fundmail_mailbox_\(name)", kind, help,
                mailboxes.compactMap { mailbox in value(mailbox).map { Sample($0, [("mailbox", mailbox.name)]) } })
        }
        func seconds(_ time: Timestamp?) -> Double? { time.map { Double($0.rawValue) } }
        let now = now()
        let outcomes = mailboxes.flatMap { mailbox in
            Outcome.allCases.map { outcome in
                Sample(
                    Double(mailbox.totals[outcome] ?? 0), [("mailbox", mailbox.name), ("outcome", outcome.rawValue)])
            }
        }
        return [
            MetricFamily("fundmail_mailbox_messages_total", .counter, "Messages by what became of them.", outcomes),
            family("failed_messages_total", .counter, "Messages whose bytes could not be had.") {
                Double($0.failedMessages)
            },
            family("bytes_total", .counter, "Bytes of messages fetched.") { Double($0.bytes) },
            family("runs_total", .counter, "Runs over the mailbox.") { Double($0.runs) },
            family("consecutive_failures", .gauge, "Runs that failed since the last that did not.") {
                Double($0.consecutiveFailures)
            },
            family("waiting_messages", .gauge, "Messages on the server that are neither filed nor kept.") {
                Double($0.waiting)
            },
            family("lag_seconds", .gauge, "Age of the oldest of them; 0 when none waits.") { mailbox in
                mailbox.oldestWaitingAt.map { max(0, (now - $0).seconds) } ?? 0
            },
            family("last_success_timestamp_seconds", .gauge, "When a run last succeeded.") {
                seconds($0.lastSuccessAt)
            },
            family("last_attempt_timestamp_seconds", .gauge, "When a run last began.") { seconds($0.lastAttemptAt) },
        ]
    }

    private func keptFamilies() async throws -> [MetricFamily] {
        let samples = try await store.administration.keptCounts().map { count in
            MetricFamily.Sample(
                Double(count.count),
                [
                    ("outcome", count.reason.outcome.rawValue), ("reason", count.reason.rawValue),
                    ("state", count.isResolved ? "resolved" : "open"),
                ])
        }
        return [MetricFamily("fundmail_kept_messages", .gauge, "Kept messages by why they were not filed.", samples)]
    }

    private func tokenFamilies(_ tokens: [TokenRecord]) -> [MetricFamily] {
        let now = now()
        let live = Dictionary(grouping: tokens.filter { $0.isLive(at: now) }, by: \.kind)
        return [
            MetricFamily(
                "fundmail_tokens", .gauge, "Tokens that are good now.",
                TokenKind.allCases.map { MetricFamily.Sample(Double(live[$0]?.count ?? 0), [("kind", $0.rawValue)]) }),
            MetricFamily(
                "fundmail_token_next_expiry_timestamp_seconds", .gauge, "When the next of them expires.",
                TokenKind.allCases.compactMap { kind in
                    live[kind]?.compactMap(\.expiresAt).min().map {
                        MetricFamily.Sample(Double($0.rawValue), [("kind", kind.rawValue)])
                    }
                }),
        ]
    }
}
