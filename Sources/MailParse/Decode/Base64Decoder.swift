package import Ingest

/// A streaming base64 decoder (RFC 2045 §6.8) that loses nothing it can read.
package struct Base64Decoder: Sendable {
    package private(set) var defects: Set<Defect> = []

    package init() {}

    /// Appends what `input` decodes to.
    package mutating func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {}

    /// Appends what an unfinished last group holds.
    package mutating func finish(into output: inout [UInt8]) {}
}
