import FundCore
import Testing

struct WebhookAddressTests {
    @Test(arguments: [
        ("https://hooks.example/in?key=1", "hooks.example", 443, "https://hooks.example/in?key=1"),
        ("HTTPS://Hooks.EXAMPLE:8443/a#b", "hooks.example", 8443, "https://hooks.example:8443/a"),
        ("https://[2001:db8::1]:9000/", "2001:db8::1", 9000, "https://[2001:db8::1]:9000/"),
        ("http://localhost/a", "localhost", 80, "http://localhost/a"),
        ("http://127.0.0.1:9000/a", "127.0.0.1", 9000, "http://127.0.0.1:9000/a"),
        ("http://127.0.0.1:443/a", "127.0.0.1", 443, "http://127.0.0.1:443/a"),
        ("http://[::1]:80/", "::1", 80, "http://[::1]/"),
    ])
    func areWrittenInOneWay(_ text: String, _ host: String, _ port: Int, _ written: String) throws {
        let address = try #require(WebhookAddress(text))
        #expect((address.host, address.port, address.text) == (host, port, written))
        #expect(WebhookAddress(written) == address)
    }

    @Test(arguments: [
        "", "hooks.example", "http://hooks.example/", "http://localhost.example/", "ftp://hooks.example/",
        "https://ann:secret@hooks.example/", "https://", "https://hooks.example:0/", "https://hooks.example:65536/",
        "http://10.0.0.1/", "file:///etc/passwd",
    ])
    func refusesOthers(_ text: String) { #expect(WebhookAddress(text) == nil) }
}
