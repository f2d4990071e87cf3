internal import MailConnection
import FundCore
import MailSend

/// A message to the mailbox of the made-up office.
struct SampleMail: Sendable {
    /// A file that goes along with it.
    struct File: Sendable {
        var name: String
        var contentType: String
        var content: [UInt8]

        static func pdf(_ name: String, _ document: SampleDocument) -> File {
            File(name: name, contentType: "application/pdf", content: document.bytes)
        }

        static func text(_ name: String, _ text: String) -> File {
            File(name: name, contentType: name.hasSuffix(".csv") ? "text/csv" : "text/plain", content: Array(text.utf8))
        }
    }

    /// Name and address.
    var sender: (name: String, email: String)
    var subject: String
    var text: String
    var files: [File] = []
    /// Time at which it was sent, and came.
    var sentAt: Timestamp

    /// The message as it comes by mail. Throws `MessageError` for what no header takes.
    func bytes() throws -> [UInt8] {
        let from = Correspondent(name: sender.name, address: try OutgoingAddress(sender.email))
        let mailbox = Correspondent(address: try OutgoingAddress(SampleOffice.mailAddress))
        var message = OutgoingMessage(from: from, to: [mailbox], subject: subject, text: text, date: sentAt)
        message.attachments = files.map {
            OutgoingMessage.Attachment(name: $0.name, contentType: $0.contentType, bytes: $0.content)
        }
        return try MessageWriter.data(of: message).collect()
    }
}
