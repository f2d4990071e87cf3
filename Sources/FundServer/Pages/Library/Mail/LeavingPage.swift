internal import Hummingbird
internal import FundCore

/// The page between a mail and a place that its link does not name. Its address holds the target sealed for the reader,
/// so that no other site can lead people over this page.
enum LeavingPage {
    private static let purpose = "leaving"

    /// The target itself when its address can be taken at its word.
    static func address(of target: LinkTarget, _ call: PageCall) -> String {
        target.warnings(shownHost: nil).isEmpty
            ? target.address : address(of: DisguisedLink(target: target), call)
    }

    /// Address of this page for a link.
    static func address(of link: DisguisedLink, _ call: PageCall) -> String {
        let text = "\(link.shownHost ?? "")\n\(link.target.address)"
        guard let user = try? call.userID,
            let sealed = try? call.parts.cursors.seal(text, of: purpose, for: user)
        else { return "/library" }
        return "/library/leaving" + PageQueryText.text([("to", sealed)])
    }

    static func link(_ sealed: String?, _ call: PageCall) -> DisguisedLink? {
        guard let sealed, let user = try? call.userID,
            let text = call.parts.cursors.open(sealed, of: purpose, for: user)
        else { return nil }
        let parts = text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let target = LinkTarget(parts[1]) else { return nil }
        return DisguisedLink(target: target, shownHost: parts[0].isEmpty ? nil : parts[0])
    }

    static func response(_ link: DisguisedLink, _ call: PageCall) -> Response {
        var model: PageModel = [
            "host": link.target.host ?? "", "target": link.target.address,
            "warnings": link.target.warnings(shownHost: link.shownHost).map { call.words("leaving.\($0.rawValue)") },
        ]
        if let host = link.shownHost { model["shown"] = ["host": host] as PageModel }
        return call.page("leaving", model, title: call.words("leaving.title"))
    }
}
