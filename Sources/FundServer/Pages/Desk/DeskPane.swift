internal import FundHTTP
internal import Hummingbird
internal import FundCore
internal import Ingest

/// One kept message, why it is here, and what can be done: the right side of the desk.
struct DeskPane {
    /// Bytes of the header that are shown, from the beginning of the message.
    private static let maxHeaderBytes: Int64 = 16 << 10

    let call: PageCall
    let view: DeskService.View
    /// The person to whom the sender's address is registered; nil for a stranger.
    let sender: User?

    private var record: MisrouteRecord { view.record }
    private var words: Words { call.words }

    func model() async throws -> PageModel {
        let header = view.content.header
        let address = "/desk/messages/\(record.id)"
        // The name that a mail has for its sender proves nothing: that of the register is shown.
        let (name, mark) = (sender?.name, SenderMark(record, name: sender?.name))
        var model: PageModel = [
            "id": "\(record.id)", "subject": TaggedSubject(record, words, isWhole: true).model,
            "isLong": record.subject.map { $0.utf8.count > 300 } ?? false,
            "name": name ?? words.sender(record), "mailed": name == nil ? nil : words.sender(record),
            "face": mark.text, "faceHue": mark.hue,
            "time": call.formats.exactTime(record.receivedAt), "sent": header?.date.map(call.formats.exactTime),
            "size": call.formats.size(record.size), "source": record.reference.mailbox ?? words("desk.file"),
            "hasRecipients": header.map { !($0.to + $0.cc).isEmpty } ?? false,
            "recipients": (header.map { $0.to + $0.cc } ?? []).prefix(20).map(\.address).joined(separator: ", "),
            "why": words.cause(record),
            "steps": view.decision.steps.filter { $0.about != .outcome }.map { $0.model(words) },
            "details": record.detail,
            "address": address, "isLater": record.isPutOff(at: call.formats.now),
            "readers": call.parts.deskNotifier.readers().filter {
                $0.message == record.id && $0.user != (try? call.userID)
            }
            .map { words("desk.reading", words.isolated($0.name)) },
            "targets": [["name": "message-\(record.id)", "value": "1"] as PageModel],
        ]
        if let sender {
            let text = words("desk.whois", words.isolated(sender.name ?? sender.email))
            model["person"] = ["id": "\(sender.id)", "text": text] as PageModel
        }
        if let settled = try await DeskSettled(record: record, call: call).model() {
            model["settled"] = settled
        } else {
            model["form"] =
                DeskForm(
                    record: record, offers: view.offers, doubt: view.decision.doubt,
                    senders: DeskService.senders(in: header), call: call
                ).model
        }
        model.merge(try await content(at: address))
        return model
    }

    // MARK: What is in it

    private func content(at address: String) async throws -> PageModel {
        var model: PageModel
        do {
            model = ["head": try await head()]
        } catch let failure as StoreError where failure.code == .quarantined {
            // Its words may be a part of what was found.
            return ["malware": RequestError(failure).sentence]
        } catch let failure as StoreError where failure.code == .unscanned {
            return ["isUnscanned": true]
        }
        guard case .message(let message) = view.content else {
            model["isUnreadable"] = true
            return model
        }
        model["files"] = message.attachments.enumerated().map { file($1, $0, at: address) }
        model["hasFiles"] = !message.attachments.isEmpty
        // Mail that may be forged is not opened by looking at it.
        model["isLocked"] = isLocked
        let hasHTML = message.html?.isEmpty == false && call.parts.sanitizer != nil
        let isHTML = try hasHTML && call.query()["view"] == "html"
        if hasHTML { model["views"] = ["isHTML": isHTML] as PageModel }
        let document = MailDocument(kept: message, as: record.id)
        if isHTML, let mail = try await document.sanitized(by: call.pages.sanitizedMails, for: try call.userID) {
            model["frame"] =
                [
                    "address": address + "/frame", "isCut": mail.isCut, "isDark": mail.hasDarkColours,
                    "blocked": mail.blockedPictures > 0 ? words.count("pictures", mail.blockedPictures) : nil,
                ] as PageModel
            return model
        }
        let parts = try await BlockingThreads.run {
            TextLinks.parts(of: VisibleText.of(text: message.text, html: message.html))
        }
        model.merge(TextLinks.model(of: parts, call))
        return model
    }

    private var isLocked: Bool { DeskChoices(record).proposal == .putAside }

    /// One file: its thumbnail is made when it is in sight, and leads to its pages.
    private func file(_ attachment: ParsedAttachment, _ index: Int, at address: String) -> PageModel {
        let kind = FileKind(attachment.contentType, name: attachment.displayName)
        let path = "\(address)/files/\(index)"
        let isShown = call.parts.previews != nil && kind.mayHaveThumbnail && !isLocked
        let summary = isShown ? PreviewSummary(.making, of: attachment.digest) : nil
        var model = FileBadge(kind, summary, at: path + "/preview", of: attachment.digest, words).model
        model["name"] = attachment.displayName
        model["size"] = call.formats.size(attachment.size)
        model["download"] = path
        if isShown { model["view"] = path + "/view" }
        return model
    }

    /// The header as it came, up to the first empty line.
    private func head() async throws -> String {
        let (library, digest, size) = (call.parts.store.library, record.digest, record.size)
        return try await BlockingThreads.run {
            var bytes: [UInt8] = []
            try library.content(of: digest, size: size).read(0..<min(size, Self.maxHeaderBytes)) { bytes += $0 }
            let text = String(decoding: bytes, as: UTF8.self)
            let end = text.utf8.firstRange(of: "\r\n\r\n".utf8) ?? text.utf8.firstRange(of: "\n\n".utf8)
            return String(text[..<(end?.lowerBound ?? text.endIndex)])
        }
    }
}
