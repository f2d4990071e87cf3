import FundCore
import Terminal

/// The output of an import while it goes on, and its counts at the end.
final class ImportOutput {
    /// A file or folder, and what became of it.
    struct Line {
        /// Where it came from, below what was imported.
        var path: String
        /// Nil where it has none.
        var fund: String?
        var outcome: ImportOutcome
        /// Bytes of a file that is in the store now, else 0.
        var bytes: Int64 = 0
        /// Why it was refused.
        var reason: String?
    }

    private let json: Bool
    private let progress = ProgressLine(interval: .milliseconds(100))
    private let start = ContinuousClock.now
    private var counts: [ImportOutcome: Int] = [:]
    private var bytes: Int64 = 0
    /// Funds and folders that were made.
    private var (newFunds, newFolders) = (0, 0)

    init(json: Bool) { self.json = json }

    /// Whether something was not imported.
    var hasRefusals: Bool { counts[.refused] != nil }

    /// Whether there is anything to report.
    var isEmpty: Bool { counts.isEmpty && newFunds == 0 && newFolders == 0 }

    /// Whether something is in the store that was not there before.
    var hasChanges: Bool {
        newFunds > 0 || newFolders > 0 || [.imported, .replaced].contains { counts[$0] ?? 0 > 0 }
    }

    /// The counts, as in `12 imported, 1 not imported`.
    var words: String {
        ImportOutcome.allCases.compactMap { outcome in counts[outcome].map { "\($0) \(outcome.title)" } }
            .joined(separator: ", ")
    }

    func noteNewFund() { newFunds += 1 }

    func noteNewFolder() { newFolders += 1 }

    /// Throws `CommandError` when standard output cannot be written.
    func take(_ line: Line) throws {
        counts[line.outcome, default: 0] += 1
        bytes += line.bytes
        if json {
            try Console.write(
                JSONWriter.line { json in
                    json.field("path", line.path)
                    json.field("fund", line.fund)
                    json.field("result", line.outcome.rawValue)
                    json.field("bytes", line.bytes)
                    json.field("problem", line.reason)
                })
        } else if let reason = line.reason {
            progress.clear()
            Console.warn("not imported: \(line.path): \(reason)")
        }
        progress.show("\(counts.values.reduce(0, +)) files, \(Quantity.display(bytes: bytes)): \(line.path)")
    }

    /// - Parameters:
    ///   - notes: sentences about what was not kept.
    ///   - isInterrupted: whether the rest is still to come.
    func finish(isRehearsal: Bool, isInterrupted: Bool, notes: [String] = []) throws {
        progress.clear()
        let seconds = (ContinuousClock.now - start).seconds
        guard !json else {
            return try Console.write(
                JSONWriter.line { line in
                    line.key("summary")
                    line.object { json in
                        for outcome in ImportOutcome.allCases { json.field(outcome, counts[outcome] ?? 0) }
                        json.field("new_funds", newFunds)
                        json.field("new_folders", newFolders)
                        json.field("bytes", bytes)
                        json.field("seconds", seconds)
                        json.field("dry_run", isRehearsal)
                        json.field("interrupted", isInterrupted)
                        json.key("notes")
                        json.value(notes)
                    }
                })
        }
        var table = Table(["", .number("")])
        for outcome in ImportOutcome.allCases {
            let count = counts[outcome] ?? 0
            if count > 0 || outcome == .imported { table.add([outcome.title, "\(count)"]) }
        }
        if newFunds > 0 { table.add(["new funds", "\(newFunds)"]) }
        if newFolders > 0 { table.add(["new folders", "\(newFolders)"]) }
        var text = isRehearsal ? "Nothing was changed. It would be" : "Done in \(Quantity.oneDecimal(seconds)) s"
        text += " (\(Quantity.display(bytes: bytes))):\n\n" + table.rendered(width: nil, indent: "  ")
        if !notes.isEmpty { text += "\n" + notes.map { $0 + "\n" }.joined() }
        if isInterrupted { text += "\nInterrupted: run the same command again for the rest.\n" }
        try Console.write(text)
    }
}

extension JSONWriter {
    fileprivate mutating func field(_ outcome: ImportOutcome, _ count: Int) {
        key(outcome.rawValue)
        value(count)
    }
}
