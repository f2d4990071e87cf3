import Terminal

extension Console {
    /// Says something on standard error, in a line of its own.
    static func warn(_ text: String) { error("fund: \(TerminalText.clean(text))\n") }
}
