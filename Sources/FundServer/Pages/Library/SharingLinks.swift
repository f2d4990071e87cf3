internal import FundCore

/// The addresses by which an item goes to other people: in a letter, or by a link.
struct SharingLinks {
    let item: LibraryItemID
    /// Path of the page that one comes back to.
    let back: String

    /// Nil for a fund, which goes by its items.
    init?(_ item: LibraryItemID, back: String) {
        if case .fund = item { return nil }
        (self.item, self.back) = (item, back)
    }

    /// For the templates `detail` and `edit`. A mail is passed on with its text and its files.
    var model: PageModel {
        let items = ItemSelection(items: [item])
        guard case .email(let email) = item else {
            return [
                "isMail": false, "send": LetterDraft.path + items.query(back: back),
                "link": Self.link(to: items, back: back), "replyAll": false,
            ]
        }
        return [
            "isMail": true, "send": Self.letter([("forward", "\(email)"), ("back", back)]),
            "link": Self.link(to: items, back: back),
            "replyAll": Self.letter([("reply", "\(email)"), ("all", "1"), ("back", back)]),
        ]
    }

    /// The page of a letter that answers a mail.
    static func reply(to email: EmailSummary.ID, back: String) -> String {
        letter([("reply", "\(email)"), ("back", back)])
    }

    /// The page of a new link to items.
    static func link(to items: ItemSelection, back: String?) -> String {
        PageRoute.newLinkPath + PageQueryText.text([("items", items.text), ("back", back)])
    }

    private static func letter(_ fields: [(name: String, value: String?)]) -> String {
        LetterDraft.path + PageQueryText.text(fields)
    }
}
