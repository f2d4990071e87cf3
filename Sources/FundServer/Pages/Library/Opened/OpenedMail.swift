internal import Hummingbird
internal import FundCore

/// A mail that is opened.
enum OpenedMail {
    /// Bytes of the longest subject that is shown without scrolling.
    private static let maxHeadingBytes = 500

    static func content(_ id: EmailSummary.ID, in list: ShownList, _ call: PageCall) async throws -> OpenedContent {
        let user = try call.userID
        let email = try await call.library.email(id, of: user)
        let summary = email.summary
        let fund = try await call.library.fund(summary.fund, of: user)
        var model = try await model(of: email, call)
        model.merge([
            "hasFiles": !email.attachments.isEmpty, "attachments": try await attachments(of: email, call),
            "alone": alone(summary.id, list), "asText": list.address(of: .email(id)),
            "asHTML": list.address(of: .email(id), [("view", "html")]),
            "recipients": try await MailRecipients(of: summary.id, call).model.orAbsent,
        ])
        if let from = summary.from {
            model["ofSender"] = LibraryPaths.mail(summary.fund) + PageQueryText.text([("sender", from)])
        }
        model["reply"] = reply(to: summary, in: list, call).orAbsent
        return OpenedContent(
            title: call.words.subject(summary.subject), fund: fund, isFavourite: summary.isFavourite,
            model: ["mail": model])
    }

    /// The address at which one answers: a letter of ours, or where no mail server takes letters the reader's own mail
    /// program. Nil where the mail names no sender.
    private static func reply(to summary: EmailSummary, in list: ShownList, _ call: PageCall) -> String? {
        guard call.parts.letterServer() == nil else {
            return SharingLinks.reply(to: summary.id, back: list.address(of: .email(summary.id)))
        }
        return summary.from.map { from in
            "mailto:" + PercentCoding.encoded(from) { ASCII.isAlphanumeric($0) || "-._~@+".utf8.contains($0) }
                + PageQueryText.text([("subject", "Re: " + (summary.subject ?? ""))])
        }
    }

    /// The HTML of a mail on a page of its own; nil when there is none that can be shown.
    static func alone(_ id: EmailSummary.ID, _ call: PageCall) async throws -> Response? {
        let email = try await call.library.email(id, of: try call.userID)
        var model = try await model(of: email, call)
        guard model["frame"] != nil else { return nil }
        let query = try call.query()
        let fields = ["in", "q", "type", "fund", "sender"].map { ($0, query[$0]) }
        let address = "/library/emails/\(id)"
        model["back"] = address + PageQueryText.text(fields)
        // Whatever shows its pictures adds the view, as to the addresses of lists.
        model["here"] = address + PageQueryText.text(fields + [("alone", "1")])
        return call.page("letter", model, title: call.words.subject(email.summary.subject))
    }

    private static func alone(_ id: EmailSummary.ID, _ list: ShownList) -> String {
        "/library/emails/\(id)" + PageQueryText.text(list.trail + [("view", "html"), ("alone", "1")])
    }

    /// The parts of a mail that both its pages show.
    private static func model(of email: EmailEntry, _ call: PageCall) async throws -> PageModel {
        var model = heading(of: email.summary, call)
        model.merge(try await MailView(email, call).model())
        return model
    }

    static func heading(of summary: EmailSummary, _ call: PageCall) -> PageModel {
        var model = MailRow.model(summary, call)
        model.merge([
            "subject": call.words.wholeSubject(summary.subject),
            "sent": summary.sentAt.map(call.formats.exactTime).orAbsent,
            "time": call.formats.exactTime(summary.receivedAt),
            // It scrolls by itself, so that what the mail says begins on the first screen.
            "isLong": summary.subject.map { $0.utf8.count > maxHeadingBytes } ?? false,
        ])
        return model
    }

    /// Each leads to the file that was filed, if that is still there.
    /// - Parameter isOpen: false for a mail that is deleted or archived, whose attachments are named alone.
    static func attachments(
        of email: EmailEntry, isOpen: Bool = true, _ call: PageCall
    ) async throws -> [PageModel] {
        let attachments = email.attachments
        guard !attachments.isEmpty else { return [] }
        let files = try await call.library.files(with: Set(attachments.map(\.digest)), of: try call.userID)
        let filed = Dictionary(files.compactMap { file in file.attachment.map { ($0, file) } }) { first, _ in first }
        let badges = await call.badges(of: isOpen ? attachments.map(PreviewedFile.init) : [])
        return attachments.map { attachment in
            let path = "/library/attachments/\(attachment.id)"
            let name = FileNameParts(shown: attachment.name)
            var row = badges.model(attachment.name, attachment.contentType, attachment.digest, at: path)
            row.merge([
                "name": attachment.name, "stem": name.stem, "ending": name.suffix,
                "content": isOpen ? .text(path) : PageValue.flag(false),
                "address": filed[attachment.id].map { "/library/files/\($0.id)" }.orAbsent,
                "size": call.formats.size(attachment.size),
            ])
            return row
        }
    }
}
