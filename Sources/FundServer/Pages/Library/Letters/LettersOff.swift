internal import Hummingbird
internal import FundCore

/// The page in the place of a letter where no mail server takes letters: what to do about that, and what works without.
struct LettersOff {
    private let draft: LetterDraft
    private let call: PageCall

    init(_ draft: LetterDraft, _ call: PageCall) { (self.draft, self.call) = (draft, call) }

    func response() throws -> Response {
        let items = draft.items
        let model: PageModel = [
            "back": call.localPath(draft.back) ?? "/library", "canTurnOn": try call.user.isAdministrator,
            "link": items.items.isEmpty || !items.fitsAddress
                ? PageValue.flag(false) : .text(SharingLinks.link(to: items, back: draft.back)),
            // A text that was written is not lost.
            "hasText": !draft.text.isEmpty || !draft.subject.isEmpty, "subject": draft.subject, "text": draft.text,
        ]
        return call.page("lettersoff", model, title: call.words("letter.off"))
    }
}
