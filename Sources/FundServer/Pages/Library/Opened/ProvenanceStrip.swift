internal import FundCore

/// The origin of a file, step by step.
struct ProvenanceStrip {
    let model: PageModel

    init(_ provenance: FileProvenance, _ call: PageCall) async throws {
        let file = provenance.file
        guard let origin = provenance.origin else {
            // The mail may be deleted; an attachment's bytes never change.
            model = [
                "isDeleted": file.attachment != nil, "isUpload": file.attachment == nil,
                "time": call.formats.time(file.createdAt),
            ]
            return
        }
        let (email, attachment, words) = (origin.email, origin.attachment, call.words)
        var model: PageModel = [
            "email": "\(email.id)",
            "subject": words.subject(email.subject),
            "from": words.sender(nil, email.from), "received": call.formats.time(email.receivedAt),
            "sentName": attachment.name, "isRenamed": provenance.isRenamed,
            "attached": origin.number.map { words("origin.number", "\($0)", "\(email.attachmentCount)") }
                ?? words("origin.inline"),
        ]
        if let container = origin.container { model["container"] = container.name }
        if provenance.isMoved {
            model["isMoved"] = true
            if let folder = file.folder {
                model["folder"] = try await call.library.folder(folder, of: try call.userID).name
            }
        }
        self.model = model
    }
}
