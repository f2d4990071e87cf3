internal import FundClient
internal import Synchronization

/// How far a command is with its files: a line on a terminal, which goes away at the end.
final class ProgressLine: Sendable {
    private struct State: Sendable {
        var files = (done: 0, all: 0)
        var bytes: (done: Int64, all: Int64) = (0, 0)
        /// Were there already.
        var skipped = 0
        var name = ""
        var shownAt = ContinuousClock.now
        var isShown = false
    }

    /// Shortest time between two updates.
    private static let interval = Duration.milliseconds(100)

    private let isVisible: Bool
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// - Parameter isQuiet: shows nothing, as without a terminal.
    init(isQuiet: Bool) { isVisible = !isQuiet && Console.errorIsTerminal }

    /// There is a file to be transferred.
    func expect(bytes: Int64) {
        state.withLock { state in
            state.files.all += 1
            state.bytes.all += bytes
        }
    }

    /// Negative when a transfer begins anew.
    func add(bytes: Int64, of name: String) {
        state.withLock { state in
            state.bytes.done += bytes
            state.name = name
            show(&state)
        }
    }

    func finishFile() { state.withLock { $0.files.done += 1 } }

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
    func clear() {
        state.withLock { state in
            if state.isShown { Console.error("\r\u{1B}[K") }
            state.isShown = false
        }
    }

    private func show(_ state: inout State) {
        let now = ContinuousClock.now
        guard isVisible, now - state.shownAt >= Self.interval else { return }
        state.shownAt = now
        state.isShown = true
        let rate = Double(state.bytes.done) / max((now - start).seconds, 0.001)
        let left = rate > 0 ? Double(max(0, state.bytes.all - state.bytes.done)) / rate : 0
        let line =
            (state.files.all > 1 ? "\(state.files.done) of \(state.files.all) files, " : "")
            + "\(Quantity.display(bytes: state.bytes.done)) of \(Quantity.display(bytes: state.bytes.all)), "
            + "\(Quantity.display(bytes: Int64(rate)))/s, \(Quantity.display(seconds: left)) left: "
            + TerminalText.clean(state.name)
        Console.error("\r\u{1B}[K" + TerminalText.truncate(line, to: (Console.errorWidth ?? 80) - 1))
    }
}
