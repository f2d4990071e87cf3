import FundCore

/// Takes the transfer encoding off the bytes of a part, in chunks, in constant memory.
struct BodyDecoder {
    typealias Sink = (UnsafeRawBufferPointer) throws(ReadError) -> Void

    let source: RawSource

    /// Gives the decoded bytes to `sink`, and tells what was wrong with them.
    func decode(_ range: Range<Int64>, _ encoding: TransferEncoding, _ sink: Sink) throws(ReadError) -> Set<Defect> {
        switch encoding {
        case .identity:
            try source.chunks(range, sink)
            return []
        // Not GMime's, which stops at the first `=` (GMime issue 150).
        case .base64: return try stream(range, through: Base64Decoder(), sink).defects
        // Not GMime's, which keeps a soft line break that white space follows.
        case .quotedPrintable:
            _ = try stream(range, through: QuotedPrintableDecoder(), sink)
            return []
        case .uuencode: return try embedded(range, sink)
        }
    }

    /// Runs a decoder over the chunks, and returns it for the defects that it found.
    private func stream<Decoder: StreamDecoder>(
        _ range: Range<Int64>, through decoder: consuming Decoder, _ sink: Sink
    ) throws(ReadError) -> Decoder {
        var decoder = decoder
        var output: [UInt8] = []
        output.reserveCapacity(RawSource.chunkBytes)
        try source.chunks(range) { (chunk) throws(ReadError) in
            output.removeAll(keepingCapacity: true)
            decoder.decode(chunk, into: &output)
            try output[...].withBytes(sink)
        }
        output.removeAll(keepingCapacity: true)
        decoder.finish(into: &output)
        try output[...].withBytes(sink)
        return decoder
    }

    /// The files in it, one behind the other; all of it as it stands when there is none.
    private func embedded(_ range: Range<Int64>, _ sink: Sink) throws(ReadError) -> Set<Defect> {
        var scanner = EmbeddedFileScanner()
        var defects: Set<Defect> = []
        var hasFile = false
        func handle(_ event: EmbeddedFileScanner.Event) throws(ReadError) {
            switch event {
            case .text: break
            case .begin: hasFile = true
            case .data(let bytes): try bytes[...].withBytes(sink)
            case .end(let found): defects.formUnion(found)
            }
        }
        try source.chunks(range) { (chunk) throws(ReadError) in try scanner.feed(chunk, handle) }
        try scanner.finish(handle)
        if !hasFile { try source.chunks(range, sink) }
        return defects
    }
}
