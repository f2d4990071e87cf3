import FundCore

/// Reads one message after the other into the pack: the only place where GMime runs.
final class MessageReader {
    private let pack: PackWriter
    private let charsets = CharsetDecoder()

    init(pack: PackWriter) { self.pack = pack }

    func read(_ descriptor: Int32, _ request: ParseRequest) -> ParseResponse {
        pack.begin(messageBytes: request.messageBytes)
        var header: MessageHeader?
        var defects = DefectSet()
        do throws(ReadError) {
            let range = 0..<request.messageBytes
            guard request.messageBytes <= request.limits.maxMessageBytes else {
                // The scan reads the header all the same.
                return refused(
                    Prescan.scan(fileDescriptor: descriptor, range: range, limits: request.limits), request)
            }
            let source = try RawSource(descriptor, range)
            let verdict = source.scan(limits: request.limits)
            guard let scanned = accepted(verdict, source, request) else { return refused(verdict, request) }
            let (read, headerDefects) = MessageHeaderReader(charsets: charsets).read(scanned.header)
            header = read
            defects.formUnion(scanned.defects)
            defects.formUnion(headerDefects)
            var walk = StructureWalk(limits: request.limits, pack: pack, charsets: charsets)
            walk.defects = defects
            try walk.read(source, scanned)
            try pack.flush()
            return .message(walk.content(header: read))
        } catch {
            return .refused(error.reason, detail: error.detail, header: header, defects: defects)
        }
    }

    private func accepted(_ verdict: PrescanVerdict, _ source: RawSource, _ request: ParseRequest) -> PrescanResult? {
        if case .ok(let result) = verdict { return result }
        #if DEBUG
            if request.debug.contains(.noPrescan) {
                return PrescanResult(
                    headerOffset: 0, header: HeaderBlock(), messageBytes: request.messageBytes, defects: [])
            }
        #endif
        return nil
    }

    private func refused(_ verdict: PrescanVerdict, _ request: ParseRequest) -> ParseResponse {
        guard case .refused(let reason, let detail, let block, let found) = verdict else {
            return .refused(.tooLarge, detail: "\(request.messageBytes) bytes", header: nil, defects: DefectSet())
        }
        var defects = DefectSet()
        defects.formUnion(found)
        guard let block else { return .refused(reason, detail: detail, header: nil, defects: defects) }
        let (header, headerDefects) = MessageHeaderReader(charsets: charsets).read(block)
        defects.formUnion(headerDefects)
        return .refused(reason, detail: detail, header: header, defects: defects)
    }
}
