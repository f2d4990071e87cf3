import FundClient
import Synchronization
import Terminal

/// How far a command is with its files: a line on a terminal, which goes away at the end.
final class TransferProgress: Sendable {
    private struct State: Sendable {
        var files = (done: 0, all: 0)
        var bytes: (done: Int64, all: Int64) = (0, 0)
        /// Were there already.
        var skipped = 0
    }

    private let line: ProgressLine
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameter isQuiet: shows nothing, as without a terminal.
    init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

    /// There is a terminal, and it is to be shown.
    var isVisible: Bool { line.isVisible }

    /// There is a file to be transferred.
    func expect(bytes: Int64) {
        state.withLock { state in
            state.files.all += 1
            state.bytes.all += bytes
        }
    }

    /// - Parameter bytes: of the whole file.
    func finishFile(bytes: Int64) {
        state.withLock { state in
            state.files.done += 1
            state.bytes.done += bytes
        }
    }

    /// The file is there already, with the same bytes.
    func skipFile(bytes: Int64) {
        state.withLock { state in
            state.skipped += 1
            state.files.done += 1
            state.bytes.all -= bytes
        }
    }

    /// `Loaded 3 files, 4.5 MB, in 2 s; 1 was there already.`
    func summary(_ verb: String) -> String {
        let state = state.withLock { $0 }
        let count = state.files.done - state.skipped
        var text = "\(verb) \(Quantity.count(count, "file")), \(Quantity.display(bytes: state.bytes.done)), in "
        text += Quantity.display(seconds: (ContinuousClock.now - start).seconds)
        if state.skipped > 0 { text += "; \(state.skipped) \(state.skipped == 1 ? "was" : "were") there already" }
        return text + "."
    }

    /// Clears the line, before other output.
    func clear() { line.clear() }

    /// - Parameter queue: of what runs now.
    func show(_ queue: QueueProgress) {
        guard isVisible else { return }
        let state = state.withLock { $0 }
        let done = state.bytes.done + queue.running.reduce(0) { $0 + $1.bytes }
        var parts: [String] = []
        if state.files.all > 1 { parts.append("\(state.files.done) of \(state.files.all) files") }
        parts.append("\(Quantity.display(bytes: done)) of \(Quantity.display(bytes: max(done, state.bytes.all)))")
        if let rate = queue.rate { parts.append("\(Quantity.display(bytes: Int64(rate)))/s") }
        if let left = queue.timeLeft { parts.append("\(Quantity.display(seconds: left.seconds)) left") }
        var text = parts.joined(separator: ", ")
        if let name = queue.running.first?.transfer.name { text += ": " + TerminalText.clean(name) }
        line.show(text)
    }
}
