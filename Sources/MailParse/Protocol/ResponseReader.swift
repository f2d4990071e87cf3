internal import ChildProcesses
import FundCore

/// Reads a response on the parent's side and checks all of it: every count must fit the limits and the bytes that are
/// left, every text must be UTF-8, every range must lie in the pack, types and part paths must look like such.
struct ResponseReader {
    var limits: ParseLimits
    /// Bytes that the pack really has, by fstat(2).
    var packBytes: Int64

    /// `body` is the frame behind its count.
    func read(_ body: UnsafeRawBufferPointer) throws(FrameError) -> ParseResponse {
        var reader = FrameReader(body)
        let response: ParseResponse
        switch Wire.Kind(rawValue: try reader.u8()) {
        case .refused:
            let reason = try reason(reader.u8())
            let detail = try reader.string(max: Wire.maxDetailBytes)
            let header = try reader.flag() ? try reader.header() : nil
            response = .refused(reason, detail: detail, header: header, defects: try defects(&reader))
        case .message:
            let content = ParseResponse.Content(
                header: try reader.header(),
                text: try reader.optionalString(max: Wire.maxBodyBytes),
                html: try reader.optionalString(max: Wire.maxBodyBytes),
                attachments: try attachments(&reader),
                defects: try defects(&reader),
                report: try report(&reader))
            response = .message(content)
        default: throw FrameError(what: "an answer of unknown kind")
        }
        guard reader.isAtEnd else { throw FrameError(what: "an answer with a tail") }
        return response
    }

    private func reason(_ code: UInt8) throws(FrameError) -> Reason {
        switch code {
        case 1: .tooComplex
        case 2: .tooLarge
        case 3: .unparseable
        default: throw FrameError(what: "an unknown reason")
        }
    }

    private func defects(_ reader: inout FrameReader) throws(FrameError) -> DefectSet {
        let defects = DefectSet(bits: try reader.u64())
        guard defects.list != nil else { throw FrameError(what: "an unknown defect") }
        return defects
    }

    private func report(_ reader: inout FrameReader) throws(FrameError) -> DeliveryReport? {
        let (isReport, longest) = (try reader.flag(), DeliveryReport.maxTextBytes)
        let entries = try reader.list(max: DeliveryReport.maxEntries) { (reader) throws(FrameError) in
            DeliveryReport.Entry(
                action: try reader.string(max: longest), status: try reader.string(max: longest),
                diagnostic: try reader.optionalString(max: longest))
        }
        return isReport ? DeliveryReport(entries: entries) : nil
    }

    private func attachments(_ reader: inout FrameReader) throws(FrameError) -> [PackedAttachment] {
        try reader.list(max: limits.maxParts) { (reader) throws(FrameError) in
            let attachment = PackedAttachment(
                sentName: try reader.optionalString(max: Wire.maxNameBytes),
                suggestedName: try reader.optionalString(max: Wire.maxNameBytes),
                contentType: try reader.string(max: Wire.maxContentTypeBytes),
                offset: try reader.i64(),
                count: try reader.i64(),
                isInline: try reader.flag(),
                contentID: try reader.optionalString(max: Wire.maxContentIDBytes),
                partPath: try reader.string(max: Wire.maxPartPathBytes))
            guard attachment.sentName?.isEmpty != true else { throw FrameError(what: "an empty name") }
            guard Wire.isContentType(attachment.contentType) else { throw FrameError(what: "a bad content type") }
            guard Wire.isPartPath(attachment.partPath) else { throw FrameError(what: "a bad part path") }
            let (end, isOverflow) = attachment.offset.addingReportingOverflow(attachment.count)
            guard attachment.offset >= 0, attachment.count >= 0, !isOverflow, end <= packBytes else {
                throw FrameError(what: "an attachment outside the pack")
            }
            return attachment
        }
    }
}

extension FrameReader {
    fileprivate mutating func header() throws(FrameError) -> MessageHeader {
        var header = MessageHeader()
        header.from = try list { (reader) throws(FrameError) in
            AddressField(
                addresses: try reader.list { (reader) throws(FrameError) in try reader.mailbox() },
                hasGroup: try reader.flag(), isMalformed: try reader.flag(), text: try reader.string())
        }
        header.to = try list { (reader) throws(FrameError) in try reader.mailbox() }
        header.cc = try list { (reader) throws(FrameError) in try reader.mailbox() }
        header.replyTo = try list { (reader) throws(FrameError) in try reader.mailbox() }
        header.subjects = try strings()
        header.date = try flag() ? Timestamp(try i64()) : nil
        header.messageID = try optionalString()
        header.references = try strings()
        header.automatic.autoSubmitted = try optionalString()
        header.automatic.precedence = try optionalString()
        header.automatic.hasNullReturnPath = try flag()
        header.automatic.reportType = try optionalString()
        header.automatic.responderFields = try strings()
        header.automatic.loopMark = try optionalString()
        header.automatic.isOfList = try flag()
        header.automatic.refusesAnswers = try flag()
        header.relay = try relay()
        header.envelopeRecipients = try strings()
        header.trace = try list { (reader) throws(FrameError) in
            switch try reader.u8() {
            case 1: .received(try reader.string())
            case 2: .authenticationResults(try reader.string())
            default: throw FrameError(what: "an unknown trace field")
            }
        }
        return header
    }

    private mutating func relay() throws(FrameError) -> RelayedMail? {
        let (code, author) = (try u8(), try optionalString())
        guard code != 0 else { return nil }
        guard let kind = Wire.relayKind(code) else { throw FrameError(what: "an unknown kind of relay") }
        return RelayedMail(kind: kind, author: author)
    }

    private mutating func strings() throws(FrameError) -> [String] {
        try list { (reader) throws(FrameError) in try reader.string() }
    }

    private mutating func mailbox() throws(FrameError) -> NamedAddress {
        NamedAddress(displayName: try optionalString(), address: try string())
    }
}
