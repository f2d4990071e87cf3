import FundCore

/// Reads one message after the other into the pack: the only place where GMime runs.
final class MessageReader {
    private let pack: PackWriter
    private let charsets = CharsetDecoder()

    init(pack: PackWriter) { self.pack = pack }

    /// Where the bytes of a message are.
    enum Place {
        case memory(UnsafeRawBufferPointer)
        case file(Int32)
    }

    func read(_ place: Place, _ request: ParseRequest) -> ParseResponse {
        pack.begin(messageBytes: request.messageBytes, goesOn: request.goesOn)
        var header: MessageHeader?
        var defects = DefectSet()
        func readHeader(_ block: HeaderBlock) -> MessageHeader {
            let (read, found) = MessageHeaderReader(charsets: charsets).read(block)
            header = read
            defects.formUnion(found)
            return read
        }
        do throws(ReadError) {
            let source: RawSource
            switch place {
            case .memory(let bytes): source = RawSource(bytes)
            case .file(let descriptor): source = try RawSource(descriptor, 0..<request.messageBytes)
            }
            var scanned = PrescanResult(headerOffset: 0, header: HeaderBlock(), defects: [])
            switch try source.scan(limits: request.limits) {
            case .ok(let result): scanned = result
            case .refused(let reason, let detail, let block, let found):
                if ignoresScan(request) { break }
                defects.formUnion(found)
                if let block { _ = readHeader(block) }
                throw ReadError(reason: reason, detail: detail)
            }
            defects.formUnion(scanned.defects)
            let read = readHeader(scanned.header)
            var walk = StructureWalk(limits: request.limits, pack: pack, charsets: charsets)
            walk.defects = defects
            try walk.read(source, scanned)
            try pack.flush()
            return .message(walk.content(header: read))
        } catch {
            return .refused(error.reason, detail: error.detail, header: header, defects: defects)
        }
    }

    private func ignoresScan(_ request: ParseRequest) -> Bool {
        #if DEBUG
            request.debug.contains(.noPrescan)
        #else
            false
        #endif
    }
}
