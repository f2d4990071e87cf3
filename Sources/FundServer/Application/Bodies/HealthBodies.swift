internal import FundCore

extension JSONWriter {
    mutating func field(_ state: HealthOverview.State, of period: HealthPeriod) {
        field("period", period.rawValue)
        field("slot_seconds", period.slotSeconds)
        objects("checks", state.findings) { json, finding in
            json.field("name", finding.name)
            json.field("problem", finding.problem)
        }
        field("free_bytes", state.figures.freeBytes)
        field("search_backlog", state.figures.searchBacklog.map(Int64.init))
        field("failed_scans", state.figures.failedScans.map(Int64.init))
        key("letters")
        if let letters = state.figures.letters {
            object { json in
                json.field("waiting", Int64(letters.waiting))
                json.field("troubled", Int64(letters.troubled))
                json.field("problem", letters.problem)
            }
        } else {
            null()
        }
        key("directory")
        if let directory = state.figures.directory {
            object { json in
                json.field("people", Int64(directory.people))
                json.field("read_at", directory.readAt)
                json.field("problem", directory.problem)
            }
        } else {
            null()
        }
        key("bucket")
        if let bucket = state.figures.bucket {
            object { json in
                json.field("waiting_bytes", bucket.waitingBytes)
                json.field("problem", bucket.problem)
            }
        } else {
            null()
        }
        objects("slots", state.slots) { $0.field($1) }
    }

    private mutating func field(_ slot: HealthSlot) {
        let sample = slot.sample
        field("at", slot.start)
        for outcome in Outcome.allCases {
            key(outcome.rawValue)
            value(sample.outcomes[outcome] ?? 0)
        }
        field("failed_messages", sample.failedMessages)
        field("waiting", sample.waiting)
        field("lag_seconds", sample.lagSeconds)
        seconds("median_processing_seconds", sample.timeToRow.quantile(0.5))
        seconds("p95_processing_seconds", sample.timeToRow.quantile(0.95))
        field("failed_runs", sample.failedRuns)
        field("server_errors", sample.serverErrors)
        field("refused_requests", sample.refusedRequests)
    }

    private mutating func seconds(_ name: StaticString, _ seconds: Double?) {
        key(name)
        if let seconds { value(seconds) } else { null() }
    }
}
