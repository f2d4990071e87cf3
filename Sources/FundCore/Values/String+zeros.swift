extension StringProtocol {
    /// Digits with zeros before them, so many characters at the least.
    package func zeroPadded(to count: Int) -> String {
        String(repeating: "0", count: Swift.max(count - utf8.count, 0)) + self
    }
}
