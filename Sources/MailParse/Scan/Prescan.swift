import Glibc
import FundCore

/// What the scan before GMime found in a message that is within the limits.
struct PrescanResult: Sendable {
    /// Where the header starts: GMime gets the file from here.
    var headerOffset: Int64
    var header: HeaderBlock
    /// Bytes of the whole message.
    var messageBytes: Int64
    var defects: Set<Defect>
    /// Where the body of a header begins that no empty line ends, ascending; GMime would take the lines for a part of
    /// the header.
    var missingSeparators: [Int64] = []
}

/// Whether a message may be given to GMime.
enum PrescanVerdict: Sendable {
    case ok(PrescanResult)
    /// `tooComplex`, `tooLarge` or `unparseable`, with as much of the header as could be read.
    case refused(Reason, detail: String, header: HeaderBlock?, defects: Set<Defect>)
}

/// A scan of the bytes of a message before GMime sees them: it follows headers and boundaries as GMime does and counts
/// a little more rather than less, so that nothing passes whose cost GMime does not bound itself.
enum Prescan {
    private static let chunkBytes = 256 * 1024

    /// Reads the message that stands in `range` of the file, with `pread`: the file position stays. Offsets in the
    /// result count from the start of the message.
    static func scan(fileDescriptor: Int32, range: Range<Int64>, limits: ParseLimits) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while scanner.wantsMore, position < range.upperBound {
            let wanted = Int(min(Int64(chunkBytes), range.upperBound - position))
            let count = pread(fileDescriptor, buffer.baseAddress, wanted, off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            position += Int64(count)
            scanner.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return scanner.verdict(messageBytes: range.upperBound - range.lowerBound)
    }

    /// The same over bytes in memory (nested messages that came base64-encoded, tests).
    static func scan(_ bytes: [UInt8], limits: ParseLimits) -> PrescanVerdict {
        var scanner = StructureScanner(limits: limits)
        bytes.withUnsafeBytes { scanner.feed($0) }
        return scanner.verdict(messageBytes: Int64(bytes.count))
    }
}
