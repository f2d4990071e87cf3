package import Ingest

/// A header (RFC 5322 §2.2) cut into its fields.
package struct HeaderBlock: Sendable {
    package struct Field: Sendable, Hashable {
        /// Lower-case.
        package var name: String
        /// Unfolded, outer white space taken off, otherwise as received.
        package var value: [UInt8]
    }

    package private(set) var fields: [Field] = []
    package private(set) var defects: Set<Defect> = []

    package init(_ bytes: [UInt8]) {}

    /// The values of every field of that name (lower-case), in order.
    package func values(_ name: String) -> [[UInt8]] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }
}
