internal import FundHTTP
internal import Hummingbird

/// Light or dark, as the reader chose; `system` follows the device.
enum Theme: String, Sendable, CaseIterable {
    case system, light, dark

    static let cookie = "fundmail-theme"

    init(of request: Request) {
        self = Cookies.value(of: Self.cookie, in: request).flatMap(Theme.init(word:)) ?? .system
    }
}
