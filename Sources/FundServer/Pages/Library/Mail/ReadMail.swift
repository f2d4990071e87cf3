internal import FundCore

/// The fields of a filed mail, which the program that reads mail takes from the message when they are first wanted.
enum ReadMail {
    case ready(MailFields)
    /// They are being made.
    case making
    /// The message is not kept any more, cannot be read, or no program reads it.
    case absent
}

extension PageCall {
    /// Throws 404 for a mail of another.
    func fields(of email: EmailSummary.ID, waitingAtMost wait: Duration) async throws -> ReadMail {
        guard let previews = parts.previews else { return .absent }
        let raw: RawMessageEntry
        do { raw = try await library.rawMessage(of: email, of: try userID) } catch let failure as StoreError
            where failure.code == .notFound
        {
            return .absent
        }
        let message = PreviewedFile(
            ServedContent(message: "\(email)", digest: raw.digest, size: raw.size), for: try userID)
        switch try await previews.source.fields(of: message, waitingAtMost: wait) {
        case .ready(let content):
            guard case .mail(let fields)? = FileFields(json: content.bytes) else { return .absent }
            return .ready(fields)
        case .making, .full: return .making
        case .failed: return .absent
        }
    }
}
