import Glibc
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

/// A scan of the bytes of a message before GMime sees them: it follows headers and boundaries as GMime does and counts a
/// little more rather than less, so that nothing passes whose cost GMime does not bound itself.
package enum Prescan {
    private static let chunkBytes = 256 * 1024

    /// Reads the file from offset 0 with `pread`; the file position stays.
    package static func scan(fileDescriptor: Int32, limits: ParseLimits) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        let size = Int64(lseek(fileDescriptor, 0, SEEK_END))
        lseek(fileDescriptor, 0, SEEK_SET)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while scanner.wantsMore {
            let count = pread(fileDescriptor, buffer.baseAddress, chunkBytes, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            offset += Int64(count)
            scanner.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return scanner.verdict(messageBytes: max(size, offset))
    }

    /// The same over bytes in memory (nested messages that came base64-encoded, tests).
    package static func scan(_ bytes: [UInt8], limits: ParseLimits) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        bytes.withUnsafeBytes { scanner.feed($0) }
        return scanner.verdict(messageBytes: Int64(bytes.count))
    }
}
