internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension UserCall {
    var links: ShareLinks { parts.links }

    /// The address of a link, at the server as the configuration names it, or else as this request does.
    func address(of link: ShareLink) -> String {
        let scheme = context.isEncrypted ? "https" : "http"
        return links.address(of: link, own: "\(scheme)://\(request.head.authority ?? "")")
    }
}
