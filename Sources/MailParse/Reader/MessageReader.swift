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
            let source = try RawSource(descriptor, 0..<request.messageBytes)
            let scanned: PrescanResult
            switch try source.scan(limits: request.limits) {
            case .ok(let result): scanned = result
            case .refused(let reason, let detail, let block, let found):
                guard ignoresScan(request) else { return refused(reason, detail, block, found) }
                scanned = PrescanResult(headerOffset: 0, header: HeaderBlock(), defects: [])
            }
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

    private func ignoresScan(_ request: ParseRequest) -> Bool {
        #if DEBUG
            request.debug.contains(.noPrescan)
        #else
            false
        #endif
    }

    private func refused(
        _ reason: Reason, _ detail: String, _ block: HeaderBlock?, _ found: Set<Defect>
    ) -> ParseResponse {
        var defects = DefectSet()
        defects.formUnion(found)
        guard let block else { return .refused(reason, detail: detail, header: nil, defects: defects) }
        let (header, headerDefects) = MessageHeaderReader(charsets: charsets).read(block)
        defects.formUnion(headerDefects)
        return .refused(reason, detail: detail, header: header, defects: defects)
    }
}
