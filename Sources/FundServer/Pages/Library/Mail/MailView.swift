internal import Hummingbird
internal import FundCore

/// How a mail is shown on its page: as text, or as HTML in a frame.
struct MailView {
    private let email: EmailEntry
    private let call: PageCall
    private let isHTML: Bool
    private let token: String?

    init(_ email: EmailEntry, _ call: PageCall) throws {
        self.email = email
        self.call = call
        let query = try call.query()
        isHTML = query["view"] == "html"
        token = query["pictures"]
    }

    func model() async throws -> PageModel {
        var model: PageModel = [:]
        let hasHTML = email.html?.isEmpty == false && call.parts.sanitizer != nil
        if hasHTML, isHTML {
            if let frame = try await frame() {
                model["frame"] = frame
            } else {
                model["isUnreadable"] = true
            }
        }
        if hasHTML { model["views"] = ["isHTML": model["frame"] != nil] as PageModel }
        guard model["frame"] == nil else { return model }
        model.merge(TextLinks.model(of: try await email.withPlainText(TextLinks.parts), call))
        return model
    }

    /// Nil when the HTML cannot be shown.
    private func frame() async throws -> PageModel? {
        let (id, user) = (email.summary.id, try call.userID)
        let isGranted = call.pages.pictureGrants.isGood(token, for: .email(id), of: user)
        let document = MailDocument(email, showsRemotePictures: isGranted)
        guard let mail = try await document.sanitized(by: call.pages.sanitizedMails, for: user) else { return nil }
        var model: PageModel = [
            "address": "/library/emails/\(id)/frame" + PageQueryText.text([("pictures", isGranted ? token : nil)]),
            "width": MailDocument.width(of: mail).map { "\($0)" }.orAbsent,
            "isCut": mail.isCut, "isDark": mail.hasDarkColours, "canShow": !isGranted && mail.blockedPictures > 0,
        ]
        if mail.blockedPictures > 0 {
            model["blocked"] = ["text": call.words.count("pictures", mail.blockedPictures)] as PageModel
        }
        return model
    }
}
