import Testing

@testable import FundServer

struct BrowserNameTests {
    /// `User-Agent` as these browsers send it.
    @Test(
        arguments: [
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
                "Chrome, Linux"
            ),
            ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:153.0) Gecko/20100101 Firefox/153.0", "Firefox, Windows"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 "
                    + "Safari/537.36 Edg/156.0.0.0", "Edge, Windows"
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.6 "
                    + "Mobile/15E148 Safari/604.1", "Safari, iPad"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                    + "CriOS/156.0.0.0 Mobile/15E148 Safari/604.1", "Chrome, iPhone"
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 "
                    + "Chrome/130.0.0.0 Safari/537.36", "Samsung Internet, Android"
            ),
            // Cut, as labels of sessions are.
            (
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safa",
                "Chrome, Linux"
            ),
            ("Mozilla/5.0 (unknown) Firefox/1", "Firefox"),
            ("Mozilla/5.0 (Linux", nil), ("rclone/v1.66", nil), ("Chrome/1", nil), ("", nil),
        ] as [(String, String?)])
    func namesBrowserAndSystem(agent: String, name: String?) {
        #expect(BrowserName.of(agent) == name)
    }
}
