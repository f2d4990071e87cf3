import FundCore
import Testing

struct IPAddressTests {
    /// A name that begins like an address of this machine is no such address.
    @Test(arguments: [
        ("127.0.0.1", true), ("127.1.2.3", true), ("127.1", true), ("localhost", true), ("LOCALHOST", true),
        ("::1", true), ("0:0::1", true), ("::ffff:127.0.0.1", true), ("127.0.0.1.example.com", false),
        ("127.example", false),
        ("localhost.example.com", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("[::1]", false),
        ("", false),
    ])
    func hostsOfThisMachine(_ host: String, isLoopback: Bool) {
        #expect(IPAddress.isLoopback(host: host) == isLoopback)
    }
}
