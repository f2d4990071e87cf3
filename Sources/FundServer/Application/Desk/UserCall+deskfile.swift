internal import FundHTTP
internal import FundCore
internal import Hummingbird
internal import Ingest

extension UserCall {
    /// Larger files of a kept message are taken with the whole message.
    private static var maxDeskFileBytes: Int64 { 32 << 20 }

    /// The file of the path parameters `message` and `index`, with its bytes; the audit trail notes that it is read.
    /// Throws 404 where there is none, and 403 `quarantined`.
    func deskFile() async throws -> (attachment: ParsedAttachment, bytes: [UInt8]) {
        let (message, index) = try deskFilePlace
        try await checkQuarantine(ofKept: message)
        return try await parts.desk.attachment(
            index, of: message, upTo: Self.maxDeskFileBytes, actor: try user.email)
    }

    /// Keeps the bytes of that file for what makes its preview. An open page of the message has noted who reads it.
    /// Throws 404 for mail that was filed, or that may be forged.
    func deskFileForPreview() async throws -> ServedContent {
        let (message, index) = try deskFilePlace
        try await checkQuarantine(ofKept: message)
        let record = try await administration.misroute(message)
        if case .filed? = record.resolution { throw RequestError.notFound }
        // Mail that may be forged is not opened by looking at it.
        guard DeskChoices(record).proposal == .file else { throw RequestError.notFound }
        let isOpen = parts.deskNotifier.isReading(message, try userID)
        if isOpen, let file = parts.keptFiles.file(index, of: message) { return file }
        let (attachment, bytes) =
            isOpen
            ? try await parts.desk.refiling.attachment(index, of: message, upTo: Self.maxDeskFileBytes)
            : try await deskFile()
        return parts.keptFiles.keep(attachment, bytes, index, of: message)
    }

    private var deskFilePlace: (message: MisrouteRecord.ID, index: Int) {
        get throws {
            guard let index = context.parameters.get("index").flatMap({ QueryText.number($0) }) else {
                throw RequestError.notFound
            }
            return (try id("message"), Int(index))
        }
    }
}
