internal import Foundation
internal import FundClient
internal import Glibc

/// Says what a synchronization does, in words or as JSON.
final class SyncOutput: @unchecked Sendable {
    private let json: Bool
    private let quiet: Bool
    private let dryRun: Bool
    private let isTerminal = isatty(STDERR_FILENO) == 1
    /// Guards all below, and the order of lines.
    private let lock = NSLock()
    private var planned: (operations: Int, bytes: Int64) = (0, 0)
    private var under: [String: Int64] = [:]
    private var finishedBytes: Int64 = 0
    private var doneCount = 0
    private var shownAt = ContinuousClock.now
    private var hasLine = false
    private var summary: SyncSummary?

    init(json: Bool, quiet: Bool, dryRun: Bool) { (self.json, self.quiet, self.dryRun) = (json, quiet, dryRun) }

    var isInStep: Bool { lock.withLock { summary?.isInStep ?? false } }

    // MARK: Events

    func take(_ event: SyncEvent) {
        lock.withLock {
            switch event {
            case .looking: break
            case .planned(let operations, let bytes):
                planned = (operations, bytes)
                (under, finishedBytes, doneCount) = ([:], 0, 0)
            case .done(let action):
                doneCount += 1
                finishedBytes += action.bytes ?? 0
                under[action.path] = nil
                say(action)
            case .progress(let path, let bytes, _):
                under[path] = bytes
                showProgress()
            case .problem(let path, let reason):
                problem(path, reason)
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
            clearProgress()
            let target = action.newPath.map { " → \(Self.harmless($0))" } ?? ""
            print("\(dryRun ? "would " : "")\(Self.words(action.verb)) \(Self.harmless(action.path))\(target)")
        }
    }

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

    private func problem(_ path: String, _ reason: String) {
        if json {
            line(Line(event: "problem", path: path, reason: reason))
        } else {
            clearProgress()
            error("\(Self.harmless(path)): \(Self.harmless(reason))")
        }
    }

    func warn(_ text: String) {
        lock.withLock {
            if json { line(Line(event: "warning", reason: text)) } else { error(text) }
        }
    }

    func failed(_ failure: ClientError) {
        lock.withLock {
            clearProgress()
            if json { line(Line(event: "error", reason: failure.detail, code: failure.code.rawValue)) } else { error(failure.detail) }
        }
    }

    // MARK: The end

    func ended(_ summary: SyncSummary?, _ failure: ClientError?) {
        lock.withLock {
            clearProgress()
            self.summary = summary
            if let failure {
                if json { line(Line(event: "retrying", reason: failure.detail, code: failure.code.rawValue)) } else {
                    error("\(failure.detail); trying again")
                }
            }
            guard let summary else { return }
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
            summary.counts[verb].map { "\($0) × \(Self.words(verb).trimmingCharacters(in: CharacterSet(charactersIn: ":")))" }
        }
        let problems = summary.problems.isEmpty ? "" : "; \(summary.problems.count) left alone"
        if parts.isEmpty, summary.isInStep {
            print("in step\(problems)")
        } else {
            let state = summary.isInStep ? "in step" : dryRun ? "nothing done" : "not in step yet"
            print("\(state): \(parts.joined(separator: ", ")), \(Self.size(summary.bytes))\(problems)")
        }
    }

    /// Asks a person; false where there is none.
    func confirms(_ summary: SyncSummary) -> Bool {
        guard !json, isatty(STDIN_FILENO) == 1, isTerminal else { return false }
        lock.withLock { clearProgress() }
        let text =
            "\(summary.heldDeletes) of \(summary.knownFiles) files are to be deleted (\(summary.heldDeletesHere) here, "
            + "\(summary.heldDeletesThere) on the server). They can be taken from the trash again. Delete them? [y/N] "
        FileHandle.standardError.write(Data(text.utf8))
        return ["y", "yes"].contains(readLine()?.lowercased() ?? "")
    }

    // MARK: Lines

    private func showProgress() {
        guard isTerminal, !json, !quiet, ContinuousClock.now - shownAt > .milliseconds(100) else { return }
        shownAt = ContinuousClock.now
        let bytes = finishedBytes + under.values.reduce(0, +)
        let text = "\(doneCount)/\(planned.operations)  \(Self.size(bytes)) of \(Self.size(planned.bytes))"
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
        hasLine = true
    }

    private func clearProgress() {
        guard hasLine else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
        hasLine = false
    }

    private func error(_ text: String) { FileHandle.standardError.write(Data("fund: \(text)\n".utf8)) }

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

    private func line(_ line: Line) {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(line) else { return }
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }

    private static func size(_ bytes: Int64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 1024, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return unit == 0 ? "\(bytes) B" : "\((value * 10).rounded() / 10) \(units[unit])"
    }

    /// Controls, which a terminal would obey, as their numbers.
    static func harmless(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Of sysexits.h.
    static func status(of error: ClientError) -> Int32 {
        switch error.code {
        case .unreachable, .certificate: 69
        case .timedOut, .interrupted, .busy, .serverFault, .noSpaceOnServer: 75
        case .local, .noSpaceHere: 73
        case .unauthenticated, .wrongPassword, .forbidden: 77
        case .protocolViolation, .damaged: 76
        default: 1
        }
    }
}

extension SyncAction.Verb {
    static let order: [SyncAction.Verb] = [
        .download, .updateHere, .upload, .updateThere, .moveHere, .moveThere, .deleteHere, .deleteThere, .makeFolderHere,
        .makeFolderThere, .conflict,
    ]
}
