internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// Name of the browser that began a session: "Firefox, Windows" for its `User-Agent` (RFC 9110 §10.1.5), whose text
/// names half a dozen others, too.
enum BrowserName {
    /// The first that is named is meant: most name Chrome and Safari besides.
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPad", "iPad"), ("iPhone", "iPhone"), ("Android", "Android"), ("Windows", "Windows"), ("CrOS", "ChromeOS"),
        ("Macintosh", "macOS"), ("Linux", "Linux"),
    ]

    /// Nil for text that is no browser's: the name that a program gave itself says more.
    static func of(_ agent: String) -> String? {
        guard agent.hasPrefix("Mozilla/5.0 ("), let browser = browsers.first(where: { agent.contains($0.0) }) else {
            return nil
        }
        let system = systems.first { agent.contains($0.0) }
        return [browser.1, system?.1].compactMap { $0 }.joined(separator: ", ")
    }
}

extension PageCall {
    /// Name of a session of this browser.
    var browserLabel: String {
        let agent = request.headers[.userAgent] ?? ""
        return TokenLabel.clean(BrowserName.of(agent) ?? agent)
    }
}
