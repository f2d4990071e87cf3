import FundClient
import Testing

@testable import FundCommand

/// Proxies that the environment names.
@Suite struct ProxyChoiceTests {
    private static let all = ["all_proxy": "http://all.example:1"]
    private static let both = ["http_proxy": "http://plain.example:3128", "https_proxy": "tls.example"]

    @Test(
        arguments: [
            ("http://funds.example", both, "plain.example:3128"), ("https://funds.example", both, "tls.example:8080"),
            ("http://funds.example", all, "all.example:1"), ("https://funds.example", all, "all.example:1"),
            ("https://funds.example", ["http_proxy": "http://a.example:1"], nil),
            ("http://funds.example", ["HTTP_PROXY": "http://a.example:1"], nil),
            ("https://funds.example", ["HTTPS_PROXY": "http://a.example:1"], "a.example:1"),
            ("https://funds.example", ["https_proxy": "", "ALL_PROXY": "a.example:1"], "a.example:1"),
            ("https://funds.example", ["https_proxy": "socks5://a.example:1"], nil),
            ("https://funds.example", ["https_proxy": "http://[::1]:3128"], "::1:3128"),
            ("http://localhost:8080", both, nil), ("http://127.0.0.1", all, nil),
            ("http://funds.example", both.merging(["no_proxy": "other.example, .example"]) { $1 }, nil),
            ("http://funds.example", both.merging(["no_proxy": "*"]) { $1 }, nil),
            ("http://funds.example", both.merging(["NO_PROXY": "unds.example"]) { $1 }, "plain.example:3128"),
            ("http://funds.example", [:], nil),
        ] as [(String, [String: String], String?)])
    func isReadAsOthersReadIt(address: String, environment: [String: String], expected: String?) throws {
        let proxy = ProxyChoice.proxy(for: try #require(ServerAddress(address)), environment)
        #expect(proxy.map { "\($0.host):\($0.port)" } == expected)
    }

    @Test func aUserMayBeNamed() throws {
        let proxy = try #require(ProxyAddress("http://ann:a%20b@proxy.example:3128"))
        #expect(proxy.user == "ann" && proxy.password == "a b")
    }
}
