internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Whether single keys do something on pages; those who dictate or use switches turn it off (WCAG 2.2, 2.1.4).
enum PageKeys: String, Sendable, CaseIterable {
    case on, off

    static let cookie = "fundmail-keys"

    init(of request: Request) {
        self = Cookies.value(of: Self.cookie, in: request).flatMap(PageKeys.init(word:)) ?? .on
    }
}
