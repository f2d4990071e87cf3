import Synchronization

/// A line on standard error that says how far something is; it goes away before other output. Nothing is shown without
/// a terminal.
package final class ProgressLine: Sendable {
    private static let eraseLine = "\r\u{1B}[K"

    /// Whether there is a terminal on which the line is shown.
    package let isVisible: Bool
    /// Shortest time between two updates.
    private let interval: Duration
    private let shownAt = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - isQuiet: shows nothing, as without a terminal.
    ///   - interval: shortest time between two updates; texts in between are left out.
    package init(isQuiet: Bool = false, interval: Duration = .zero) {
        isVisible = !isQuiet && Console.errorIsTerminal
        self.interval = interval
    }

    /// Shows a text in place of the last one, cut to the width of the terminal.
    package func show(_ text: @autoclosure () -> String) {
        guard isVisible, let columns = Console.errorWidth else { return }
        shownAt.withLock { shownAt in
            let now = ContinuousClock.now
            if let shownAt, now - shownAt < interval { return }
            shownAt = now
            Console.error(Self.eraseLine + TerminalText.truncate(text(), to: columns - 1))
        }
    }

    /// Clears the line before other output.
    package func clear() {
        shownAt.withLock { shownAt in
            if shownAt != nil { Console.error(Self.eraseLine) }
            shownAt = nil
        }
    }
}
