package import Ingest

/// What the scan before GMime found in a message that is within the limits.
package struct PrescanResult: Sendable {
    /// Where the header starts: GMime gets the file from here.
    package var headerOffset: Int64
    /// The header without the empty line that ends it, as received.
    package var headerBytes: [UInt8]
    /// Bytes of the whole file.
    package var messageBytes: Int64
    package var defects: Set<Defect>
}

/// Whether a message may be given to GMime.
package enum PrescanVerdict: Sendable {
    case ok(PrescanResult)
    /// `tooComplex`, `tooLarge` or `unparseable`, with as much of the header as could be read (perhaps nothing).
    case refused(Reason, detail: String, headerBytes: [UInt8], defects: Set<Defect>)
}

/// A scan of the bytes of a message before GMime sees them.
package enum Prescan {
    /// Reads the file from offset 0 with `pread`; the file position stays.
    package static func scan(fileDescriptor: Int32, limits: ParseLimits) -> PrescanVerdict {
        .refused(.unparseable, detail: "", headerBytes: [], defects: [])
    }

    /// The same over bytes in memory (nested messages that came base64-encoded, tests).
    package static func scan(_ bytes: [UInt8], limits: ParseLimits) -> PrescanVerdict {
        .refused(.unparseable, detail: "", headerBytes: [], defects: [])
    }
}
