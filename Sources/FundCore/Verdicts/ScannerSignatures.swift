/// The signatures of a scanner.
package struct ScannerSignatures: Sendable, Hashable {
    /// Version of the scanner and its signatures, in its own words.
    package var text: String
    package var version: Int64

    package init(text: String, version: Int64) {
        self.text = text
        self.version = version
    }
}
