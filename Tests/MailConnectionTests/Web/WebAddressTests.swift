import MailConnection
import Testing

struct WebAddressTests {
    @Test(arguments: [
        ("https://cards.example", "https://cards.example/"),
        ("HTTPS://cards.example:443/a/b", "https://cards.example/a/b"),
        ("https://cards.example:8443/a%20b/?x=1", "https://cards.example:8443/a%20b/?x=1"),
        ("https://[::1]:5232/é", "https://[::1]:5232/%C3%A9"), ("http://127.0.0.1:5232/", "http://127.0.0.1:5232/"),
        ("http://localhost/dav", "http://localhost/dav"),
    ])
    func readsAddresses(_ url: String, _ written: String) throws {
        let address = try WebAddress(url: url)
        #expect(address.description == written)
        #expect(try WebAddress(url: written) == address)
    }

    @Test(arguments: [
        ("http://cards.example/", "not this machine"), ("http://127.evil.example/", "not this machine"),
        ("ftp://cards.example/", "must begin with https://"), ("cards.example", "must begin with https://"),
        ("https://ann:sesame@cards.example/", "names a user"), ("https:///people", "names no host"),
        ("https://h:0/", "names no host"), ("https://h/a b", "%20"), ("https://h/a#b", "%23"),
        ("https://h/a\r\nX: y", "control character"), ("", "must begin with https://"),
    ])
    func refusesOthers(_ url: String, _ words: String) {
        let error = #expect(throws: ConnectionError.self) { try WebAddress(url: url) }
        #expect(error?.code == .badConfiguration && error?.detail.contains(words) == true, "\(url): \(error as Any)")
        #expect(error?.detail.contains("sesame") == false)
    }

    /// References of a server lead nowhere else.
    @Test(
        arguments: [
            ("/other/", "https://cards.example:8443/other/"), ("a.vcf", "https://cards.example:8443/people/a.vcf"),
            ("https://CARDS.example:8443/x", "https://CARDS.example:8443/x"), ("https://cards.example/x", nil),
            ("http://cards.example:8443/x", nil), ("https://evil.example:8443/x", nil), ("//evil.example/x", nil),
            ("/a b", nil), ("/a\r\nb", nil), ("https://u@cards.example:8443/x", nil),
            ("/文.vcf", "https://cards.example:8443/%E6%96%87.vcf"),
        ] as [(String, String?)])
    func resolvesReferences(_ reference: String, _ written: String?) throws {
        let address = try WebAddress(url: "https://cards.example:8443/people/book")
        #expect(address.resolving(reference)?.description == written)
    }
}
