internal import FundCore

/// Reads mails that are files, by the children that parse mail: this process never looks into them itself.
struct MailReader: Sendable {
    let parser: any MessageParser
    let limits: ParseLimits
    /// For large ones, on a disk.
    let folder: String

    /// Returns the shown fields of a mail. Throws `RenditionFailure` when it cannot be parsed, and what `MessageParser`
    /// throws.
    ///
    /// - Parameter descriptor: an open file.
    func fields(of descriptor: Int32) async throws -> MailFields {
        switch try await parsed(descriptor) {
        case .message(let message): return MailFields(message)
        case .refused(.tooLarge, _, _, _), .refused(.tooComplex, _, _, _): throw RenditionFailure.tooLarge
        // The child took too long or ended, on a busy machine also for a mail that is well: it is tried once more. As a
        // crash it would count against the tools of all texts.
        case .refused(_, _, header: nil, _): throw RenditionFailure.timedOut
        case .refused: throw RenditionFailure.damaged
        }
    }

    /// Its words for the search, in UTF-8; nil when it cannot be parsed.
    func words(of descriptor: Int32) async throws -> [UInt8]? {
        guard case .message(let message) = try await parsed(descriptor) else { return nil }
        return TextOutput.clean(Array(message.words.utf8))
    }

    private func parsed(_ descriptor: Int32) async throws -> ParseResult {
        let (size, limits, spool) = (FileWindow(descriptor: descriptor).size, limits, SpoolDirectory(path: folder))
        guard size <= limits.maxMessageBytes else {
            return .refused(.tooLarge, detail: "\(size) bytes", header: nil, defects: [])
        }
        return try await parser.withWorker { worker in
            var writer = spool.makeWriter(expecting: size)
            try FileBytes.read(0..<size, of: descriptor, path: spool.path) { try writer.append($0) }
            return try worker.parse(writer.finish(), limits: limits)
        }
    }
}
