import Testing

@testable import FundServer

@Suite struct AccessLogTests {
    @Test func masksSecrets() {
        let sign = String(repeating: "ab", count: 32)
        #expect(AccessLog.masked("/funds/7/\(sign)") == "/funds/7/***")
        #expect(AccessLog.masked("/dav/Fund1/report 2026.pdf") == "/dav/Fund1/report 2026.pdf")
    }

    /// A mail program may take the full stop behind an address for a part of it, and an attacker hide a slash.
    @Test(arguments: ["/s/TOKEN.", "/s%2fTOKEN", "/s/TOKEN,&open"])
    func masksTokensAmongOtherCharacters(_ path: String) {
        let token = String(repeating: "a", count: 43)
        #expect(!AccessLog.masked(path.replacing("TOKEN", with: token)).contains(token))
    }
}
