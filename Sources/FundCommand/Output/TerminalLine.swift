internal import Synchronization

/// A line on standard error that says how far something is; it goes away before other output. Nothing without a
/// terminal.
final class TerminalLine: Sendable {
    /// There is a terminal, and it is to be shown.
    let isVisible: Bool
    private let isShown = Mutex(false)

    init(isQuiet: Bool) { isVisible = !isQuiet && Console.errorIsTerminal }

    /// In place of what it showed; cut to the width of the terminal.
    func show(_ text: String) {
        guard isVisible else { return }
        isShown.withLock { isShown in
            isShown = true
            Console.error("\r\u{1B}[K" + TerminalText.truncate(text, to: (Console.errorWidth ?? 80) - 1))
        }
    }

    /// Before other output.
    func clear() {
        isShown.withLock { isShown in
            if isShown { Console.error("\r\u{1B}[K") }
            isShown = false
        }
    }
}
