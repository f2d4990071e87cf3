package import Ingest

/// Reads the header of a message.
package struct MessageHeaderReader {
    private let charsets: CharsetDecoder

    package init(charsets: CharsetDecoder) { self.charsets = charsets }

    /// Defects each once, in the order of `Defect.allCases`.
    package func read(_ headerBytes: [UInt8]) -> (header: MessageHeader, defects: [Defect]) {
        (MessageHeader(), [])
    }
}
