internal import FundCore

/// A share link as its owner and administrators see it, in words.
struct LinkView {
    private let words: Words
    private let formats: Formats
    private let now: Timestamp

    init(_ call: PageCall) {
        (words, formats) = (call.words, call.formats)
        now = call.parts.authenticator.now()
    }

    /// Values that rows and pages have.
    /// - Parameter names: of its things that are there, in its fund; nil where they are none of the reader's.
    func model(_ link: ShareLink, names: [LibraryItemID: String]?) -> PageModel {
        let state = state(of: link, names)
        var model: PageModel = [
            "id": "\(link.id)", "title": names.map { title(link, $0) } ?? kinds(link),
            "state": words("link.state.\(state)"),
            "isLive": state == ShareLink.State.live.rawValue,
            "isEndable": link.revokedAt == nil && now < link.expiresAt,
            "purpose": words("link.purpose.\(purpose(link))"), "uses": uses(link), "isUpload": link.purpose == .upload,
            "hasPassword": link.hasPassword, "label": link.label.orAbsent,
            "expires": formats.exactTime(link.expiresAt), "made": formats.exactTime(link.createdAt),
        ]
        model["last"] = link.lastOpenedAt.map(formats.exactTime).orAbsent
        return model
    }

    /// The state in one word: that of the row, but where its things are gone.
    private func state(of link: ShareLink, _ names: [LibraryItemID: String]?) -> String {
        let state = link.state(at: now)
        guard state == .live, let names, !link.items.contains(where: { names[$0] != nil }) else {
            return state.rawValue
        }
        return "gone"
    }

    private func purpose(_ link: ShareLink) -> String { link.isWatermarked ? "marked" : link.purpose.rawValue }

    /// The first thing by name, and how many there are beside it.
    private func title(_ link: ShareLink, _ names: [LibraryItemID: String]) -> String {
        let there = link.items.compactMap { item in names[item].map { words.shown($0, of: item.kind) } }
        guard let first = there.first else { return words("link.things.gone") }
        return link.items.count == 1 ? first : words("link.things", first, words.count("items", link.items.count - 1))
    }

    private func kinds(_ link: ShareLink) -> String { words.count("items", link.items.count) }

    /// `3 of 10 openings`, or the files that came.
    private func uses(_ link: ShareLink) -> String {
        if let allowance = link.allowance {
            return words(
                "link.received", words.count("files", link.received.files), "\(allowance.maxFiles)",
                formats.size(link.received.bytes), formats.size(allowance.maxBytes))
        }
        guard let most = link.maxOpenings else { return words.count("link.openings", link.openings) }
        return words("link.openings.of", "\(link.openings)", "\(most)")
    }

    /// One use of a link.
    func use(_ use: ShareLinkUse) -> PageModel {
        [
            "time": formats.exactTime(use.at), "who": use.visitor.name.orAbsent, "network": use.visitor.network,
            "file": use.file.map {
                ["name": $0.name, "path": "/library/files/\($0.id)", "size": formats.size($0.size)] as PageModel
            }.orAbsent,
        ]
    }
}

extension Words {
    /// The name of an item; words for mail and notes without one.
    fileprivate func shown(_ name: String, of kind: ItemKind) -> String {
        [.email, .note].contains(kind) ? title(name, of: kind) : Self.shown(name)
    }
}
