/// The signatures of a scanner.
package struct ScannerSignatures: Sendable, Hashable {
    /// Of the scanner and its signatures, as it says itself.
    package var text: String
    package var version: Int64

    package init(text: String, version: Int64) {
        self.text = text
        self.version = version
    }
}
