import FundCore
import FundServer
import FundStore
import MailSend

/// Figures about letters that go out, for `/metrics`.
struct RelayMetrics: Sendable {
    let relay: OutboxRelay
    let digests: DigestQueue
    let store: FundStore

    func families() async -> [MetricFamily] {
        let status = relay.status
        let results = OutboxResult.Kind.allCases.map { kind in
            MetricFamily.Sample(Double(status.results[kind] ?? 0), [("result", kind.rawValue)])
        }
        var families = [
            MetricFamily("fundmail_outbox_results_total", .counter, "Ends of attempts to send a letter.", results)
        ]
        // A store that cannot be read has no figures, which is not the same as no letters.
        if let counts = try? await store.outbox.outboxCounts() { families += Self.families(counts) }
        let queued = digests.queued
        families.append(
            MetricFamily(
                "fundmail_digests_total", .counter, "Digests that were queued.",
                Digest.Kind.allCases.map { .init(Double(queued[$0] ?? 0), [("kind", $0.rawValue)]) }))
        if let counts = try? await store.digests.digestCounts() { families.append(Self.family(counts)) }
        // Without a server there is nothing to be told about one.
        guard status.condition != .off else { return families }
        families += [
            MetricFamily(
                "fundmail_relay_pauses_total", .counter, "Pauses in which no letter is handed over.",
                Double(status.pauses)),
            MetricFamily(
                "fundmail_relay_up", .gauge, "0 while no letter can be handed to the mail server.",
                status.problem == nil ? 1 : 0),
        ]
        return families
    }

    private static func family(_ counts: DigestCounts) -> MetricFamily {
        let news = NewsPace.allCases.filter { $0 != .off }.map { pace in
            MetricFamily.Sample(
                Double(counts.news[pace] ?? 0), [("kind", Digest.Kind.news.rawValue), ("pace", pace.rawValue)])
        }
        let desk = MetricFamily.Sample(
            Double(counts.desk), [("kind", Digest.Kind.desk.rawValue), ("pace", NewsPace.daily.rawValue)])
        return MetricFamily("fundmail_digest_people", .gauge, "People who get digests.", news + [desk])
    }

    private static func families(_ counts: OutboxCounts) -> [MetricFamily] {
        let oldest = counts.oldestWaiting.map { max(0, (Timestamp.now - $0).components.seconds) } ?? 0
        let letters = OutboxLetter.State.allCases.map { state in
            MetricFamily.Sample(Double(counts.letters[state] ?? 0), [("state", state.rawValue)])
        }
        return [
            MetricFamily(
                "fundmail_outbox_letters", .gauge,
                "Letters that wait, failed or are uncertain, and those of the last 30 days that were sent or dropped.",
                letters),
            MetricFamily(
                "fundmail_letters_returned", .gauge,
                "Recipients of the last 30 days to whom a letter of a person came back, or where it is late.",
                [
                    .init(Double(counts.returned), [("report", "bounced")]),
                    .init(Double(counts.delayed), [("report", "delayed")]),
                ]),
            MetricFamily(
                "fundmail_outbox_oldest_waiting_seconds", .gauge, "Age of the oldest letter that waits.",
                Double(oldest)),
        ]
    }
}
