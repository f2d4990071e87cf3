import Foundation
import FundClient
import Synchronization
import Terminal

/// Says what a synchronization does, in words or as JSON.
final class SyncOutput: Sendable {
    private struct State: Sendable {
        var planned: (operations: Int, bytes: Int64) = (0, 0)
        /// Bytes of files under way, by their paths.
        var underWay: [String: Int64] = [:]
        var finishedBytes: Int64 = 0
        var doneCount = 0
        var summary: SyncSummary?
        var wasInStep: Bool?
        /// Failure that was said last, while nothing else happened.
        var failure: ClientError?
        /// Said already; said again only when the reason is another one.
        var knownProblems: [String: String] = [:]
    }

    private let json: Bool
    private let quiet: Bool
    private let dryRun: Bool
    private let isStaying: Bool
    private let progress: ProgressLine
    /// Held while a line is written, too: lines keep their order.
    private let state = Mutex(State())

    init(json: Bool, quiet: Bool, dryRun: Bool, isStaying: Bool) {
        (self.json, self.quiet, self.dryRun, self.isStaying) = (json, quiet, dryRun, isStaying)
        progress = ProgressLine(isQuiet: json || quiet, interval: .milliseconds(100))
    }

    var isInStep: Bool { state.withLock { $0.summary?.isInStep ?? false } }

    // MARK: Events

    func take(_ event: SyncEvent) {
        state.withLock { state in
            switch event {
            case .looking: break
            case .otherHistory:
                let words =
                    "the server goes on from an earlier state, as after it was restored from a backup: nothing is "
                    + "deleted. What only one side has comes to the other; where both differ, both versions are kept"
                if json { line(Line(event: "other-history", reason: words)) } else { error(words) }
            case .planned(let operations, let bytes):
                state.planned = (operations, bytes)
                (state.underWay, state.finishedBytes, state.doneCount) = ([:], 0, 0)
            case .done(let action):
                state.doneCount += 1
                state.finishedBytes += action.bytes ?? 0
                state.underWay[action.path] = nil
                say(action)
            case .progress(let path, let bytes, _):
                state.underWay[path] = bytes
                showProgress(state)
            case .problem(let path, let reason):
                state.underWay[path] = nil
                guard state.knownProblems.updateValue(reason, forKey: path) != reason else { return }
                if json {
                    line(Line(event: "problem", path: path, reason: reason))
                } else {
                    error("\(path): \(reason)")
                }
            }
        }
    }

    private func say(_ action: SyncAction) {
        if json {
            line(
                Line(
                    event: dryRun ? "would" : "done", action: action.verb.rawValue, path: action.path,
                    to: action.newPath, bytes: action.bytes))
        } else if !quiet {
            progress.clear()
            let target = action.newPath.map { " → \(TerminalText.clean($0))" } ?? ""
            say("\(dryRun ? "would " : "")\(Self.words(action.verb)) \(TerminalText.clean(action.path))\(target)")
        }
    }

    /// At once, also where the output is no terminal.
    private func say(_ text: String) { try? Console.line(text) }

    static func words(_ verb: SyncAction.Verb) -> String {
        switch verb {
        case .download: "download"
        case .upload: "upload"
        case .updateHere: "update here"
        case .updateThere: "update on the server"
        case .moveHere: "move here"
        case .moveThere: "move on the server"
        case .deleteHere: "delete here"
        case .deleteThere: "delete on the server"
        case .makeFolderHere: "new folder here"
        case .makeFolderThere: "new folder on the server"
        case .conflict: "conflict, both kept:"
        }
    }

    func warn(_ text: String) {
        state.withLock { _ in
            if json { line(Line(event: "warning", reason: text)) } else { error(text) }
        }
    }

    // MARK: The end

    func ended(_ summary: SyncSummary?, _ failure: ClientError?) {
        state.withLock { state in
            progress.clear()
            state.summary = summary
            let isSaid = failure != nil && failure == state.failure
            state.failure = failure
            if let failure, !isSaid {
                if json {
                    line(Line(event: "retrying", reason: failure.detail, code: failure.code.rawValue))
                } else {
                    error("\(failure.detail); trying again")
                }
            }
            guard let summary else { return }
            state.knownProblems = state.knownProblems.filter { summary.problems[$0.key] != nil }
            // While it stays, a look that found nothing is no news.
            if isStaying, summary.counts.isEmpty, summary.isInStep == state.wasInStep { return }
            state.wasInStep = summary.isInStep
            if json {
                line(
                    Line(
                        event: "summary", bytes: summary.bytes, isInStep: summary.isInStep,
                        heldDeletes: summary.heldDeletes, problems: summary.problems.count,
                        counts: Dictionary(uniqueKeysWithValues: summary.counts.map { ($0.key.rawValue, $0.value) })))
            } else {
                say(summary)
            }
        }
    }

    private func say(_ summary: SyncSummary) {
        if summary.heldDeletes > 0 {
            error(
                "\(summary.heldDeletes) of \(summary.knownFiles) files are to be deleted "
                    + "(\(summary.heldDeletesHere) here, \(summary.heldDeletesThere) on the server): they wait. "
                    + "Run it with --delete-many if that is right")
        }
        if summary.isWaiting { error("some files changed a moment ago, and wait until they are complete") }
        guard !quiet else { return }
        let parts = SyncAction.Verb.order.compactMap { verb in
            summary.counts[verb].map {
                "\($0) × \(Self.words(verb).trimmingCharacters(in: CharacterSet(charactersIn: ":")))"
            }
        }
        let problems = summary.problems.isEmpty ? "" : "; \(summary.problems.count) left alone"
        let state = summary.isInStep ? "in step" : dryRun ? "nothing done" : "not in step yet"
        guard !parts.isEmpty else {
            say(state + problems)
            return
        }
        let size = summary.bytes > 0 ? ", \(Quantity.display(bytes: summary.bytes))" : ""
        say("\(state): \(parts.joined(separator: ", "))\(size)\(problems)")
    }

    /// Asks a person; false where there is none.
    func confirms(_ summary: SyncSummary) -> Bool {
        guard !json, SecretInput.isTerminal, Console.errorIsTerminal else { return false }
        progress.clear()
        let text =
            "\(summary.heldDeletes) of \(summary.knownFiles) files are to be deleted (\(summary.heldDeletesHere) here, "
            + "\(summary.heldDeletesThere) on the server). They can be taken from the trash again. Delete them? [y/N] "
        Console.error(text)
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    // MARK: Lines

    private func showProgress(_ state: State) {
        guard progress.isVisible else { return }
        let bytes = state.finishedBytes + state.underWay.values.reduce(0, +)
        progress.show(
            "\(state.doneCount) of \(state.planned.operations), \(Quantity.display(bytes: bytes)) of "
                + Quantity.display(bytes: max(bytes, state.planned.bytes)))
    }

    /// - Parameter text: may come from the server.
    private func error(_ text: String) {
        progress.clear()
        Console.warn(text)
    }

    /// One JSON object.
    private struct Line: Encodable {
        var event: String
        var action: String?
        var path: String?
        var to: String?
        var bytes: Int64?
        var reason: String?
        var code: String?
        var isInStep: Bool?
        var heldDeletes: Int?
        var problems: Int?
        var counts: [String: Int]?
    }

    private func line(_ line: Line) { try? JSONLine.write(line) }
}

extension SyncAction.Verb {
    static let order: [SyncAction.Verb] = [
        .download, .updateHere, .upload, .updateThere, .moveHere, .moveThere, .deleteHere, .deleteThere,
        .makeFolderHere,
        .makeFolderThere, .conflict,
    ]
}
