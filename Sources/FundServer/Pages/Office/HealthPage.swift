internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let healthRoutes: [PageRoute] = [
        .office("/office/health") { call in
            let (period, state) = try await call.health()
            let checks = HealthChecks(
                words: call.words, formats: call.formats, state: state,
                mailboxes: try await call.parts.mailboxes.reports(),
                heldBack: try await call.parts.store.quarantine.quarantineCount(),
                letters: try await call.outbox.outboxCounts(), letterServer: call.parts.letterServer())
            let page = HealthPage(call, period, state, checks: checks.rows)
            return call.page("health", page.model, title: call.words("health.title"))
        }
    ]
}

/// The server's checks, and its figures of a period as charts and as a table.
private struct HealthPage {
    private let words: Words
    private let formats: Formats
    private let period: HealthPeriod
    private let state: HealthOverview.State
    private let checks: [PageModel]
    /// Every slot of the period with its beginning, oldest first; nil for what was not measured.
    private let slots: [(start: Timestamp, slot: HealthSlot?)]
    /// Processing times of the whole period.
    private let times: DurationHistogram

    init(_ call: PageCall, _ period: HealthPeriod, _ state: HealthOverview.State, checks: [PageModel]) {
        self.checks = checks
        (words, formats, self.period, self.state) = (call.words, call.formats, period, state)
        let measured = Dictionary(uniqueKeysWithValues: state.slots.map { ($0.start, $0) })
        times = state.slots.reduce(into: DurationHistogram.ofMessages) { $0 += $1.sample.timeToRow }
        let first = period.range(now: call.formats.now).lowerBound
        slots = (0..<period.slotCount).map { number in
            let start = first + .seconds(number * period.slotSeconds)
            return (start, measured[start])
        }
    }

    var model: PageModel {
        var model: PageModel = [
            "isOffice": true, "atHealth": true, "checks": checks,
            "periods": HealthPeriod.allCases.map {
                PageModel.choice($0.rawValue, words("health.\($0.rawValue)"), isChosen: $0 == period)
            },
            "slotText": words("health.slot.\(period.rawValue)"), "isEmpty": state.slots.isEmpty,
        ]
        guard !state.slots.isEmpty, let first = slots.first, let last = slots.last else { return model }
        let ticks = [first.start, slots[slots.count / 2].start, last.start + .seconds(period.slotSeconds)]
        model["charts"] = charts.map { chart in
            var chart = chart.model(slots.map(\.slot), words)
            chart["ticks"] = ticks.map(formats.exactTime)
            return chart
        }
        model["columns"] = columns.map(\.name)
        model["rows"] = rows
        return model
    }

    // MARK: Charts

    /// From the ground of a bar up: what went well first.
    private static let outcomes: [Outcome] = [.filed, .duplicate, .misrouted, .rejected]

    private var charts: [HealthChart] {
        let fills: [HealthChart.Fill] = [.solid, .light, .stripes, .lines]
        let outcomes = zip(Self.outcomes, fills).map { outcome, fill in
            sum(words("outcome.\(outcome.rawValue)"), fill) { $0.outcomes[outcome] ?? 0 }
        }
        let count: @Sendable (Double) -> String = { "\(Int($0.rounded(.up)))" }
        let seconds: @Sendable (Double) -> String = { [formats] in formats.seconds($0) }
        return [
            HealthChart(
                name: "messages",
                series: outcomes + [sum(words("outcome.failed"), .grid, \.failedMessages)], layout: .stacked,
                unit: .pieces, text: count),
            HealthChart(
                name: "lag",
                series: [
                    HealthChart.Series(
                        fill: .solid, name: words("health.oldest"), value: { Double($0.lagSeconds) },
                        total: formats.seconds(Double(state.slots.last?.sample.lagSeconds ?? 0)))
                ], layout: .nested, unit: .seconds, text: seconds),
            HealthChart(
                name: "processing",
                series: [share(words("health.p95"), .light, 0.95), share(words("health.median"), .solid, 0.5)],
                layout: .nested, unit: .seconds, text: seconds),
            HealthChart(
                name: "errors",
                series: [
                    sum(words("health.runs"), .grid, \.failedRuns),
                    sum(words("health.server"), .stripes, \.serverErrors),
                    sum(words("health.refused"), .lines, \.refusedRequests),
                ], layout: .stacked, unit: .pieces, text: count),
        ]
    }

    /// A counter, with its sum over the period.
    private func sum(
        _ name: String, _ fill: HealthChart.Fill, _ value: @escaping @Sendable (HealthSample) -> Int
    ) -> HealthChart.Series {
        let total = state.slots.reduce(0) { $0 + value($1.sample) }
        return HealthChart.Series(fill: fill, name: name, value: { Double(value($0)) }, total: "\(total)")
    }

    /// A share of the processing times, over the period as in each slot.
    private func share(_ name: String, _ fill: HealthChart.Fill, _ share: Double) -> HealthChart.Series {
        HealthChart.Series(
            fill: fill, name: name, value: { $0.timeToRow.quantile(share) },
            total: times.quantile(share).map(formats.seconds) ?? "–")
    }

    // MARK: The table

    private struct Column {
        var name: String
        var text: (HealthSample) -> String
    }

    private var columns: [Column] {
        func seconds(_ seconds: Double?) -> String { seconds.map(formats.seconds) ?? "–" }
        let outcomes = Self.outcomes.map { outcome in
            Column(name: words("outcome.\(outcome.rawValue)")) { "\($0.outcomes[outcome] ?? 0)" }
        }
        return outcomes + [
            Column(name: words("outcome.failed")) { "\($0.failedMessages)" },
            Column(name: words("health.waiting")) { "\($0.waiting)" },
            Column(name: words("health.oldest")) { seconds(Double($0.lagSeconds)) },
            Column(name: words("health.median")) { seconds($0.timeToRow.quantile(0.5)) },
            Column(name: words("health.p95")) { seconds($0.timeToRow.quantile(0.95)) },
            Column(name: words("health.runs")) { "\($0.failedRuns)" },
            Column(name: words("health.server")) { "\($0.serverErrors)" },
            Column(name: words("health.refused")) { "\($0.refusedRequests)" },
        ]
    }

    /// Newest first; slots beside each other that were not measured are one row.
    private var rows: [PageModel] {
        let columns = columns
        var rows: [PageModel] = []
        var isGap = false
        for (start, slot) in slots.reversed() {
            if let slot {
                rows.append(["time": formats.exactTime(start), "cells": columns.map { $0.text(slot.sample) }])
            } else if !isGap {
                rows.append([
                    "time": formats.exactTime(start), "gap": words("health.gap"), "span": "\(columns.count)",
                ])
            }
            isGap = slot == nil
        }
        return rows
    }
}

extension Formats {
    /// `12 ms`, `1.5 s`, `2 min`, `3 h`: a duration in the largest unit that is full.
    func seconds(_ seconds: Double) -> String {
        switch seconds {
        case 0: "0"
        case ..<1: words("health.ms", "\(max(1, Int((seconds * 1000).rounded())))")
        case ..<60: words("health.s", number(seconds))
        case ..<3600: words("span.minutes", number(seconds / 60))
        case ..<86_400: words("span.hours", number(seconds / 3600))
        default: words("span.days", number(seconds / 86_400))
        }
    }

    /// With one digit behind the point, below ten.
    private func number(_ value: Double) -> String {
        let tenths = (value * 10).rounded() / 10
        return tenths >= 10 || tenths == tenths.rounded() ? "\(Int(value.rounded()))" : "\(tenths)"
    }
}
