package import Ingest

/// Finds uuencoded and yEnc files in a text body that comes in chunks.
package struct EmbeddedFileScanner {
    package enum Event {
        /// Text that stands outside files, as it came.
        case text(ArraySlice<UInt8>)
        /// A file starts; `name` is as sent, raw.
        case begin(name: [UInt8], format: Format)
        case data(ArraySlice<UInt8>)
        /// The file that began last is whole, or ends with defects.
        case end(defects: Set<Defect>)
    }
    package enum Format: Sendable { case uuencode, yEnc }

    package init() {}

    package mutating func feed<E: Error>(
        _ chunk: UnsafeRawBufferPointer, _ handle: (Event) throws(E) -> Void
    ) throws(E) {}

    /// Ends the text: delivers what is held back.
    package mutating func finish<E: Error>(_ handle: (Event) throws(E) -> Void) throws(E) {}
}
