import FundCore
import Glibc
import MailConnection
import Testing

@testable import NewsFetch

/// Addresses from which feeds are fetched.
struct PublicAddressTests {
    private static func bytes(_ text: String) -> [UInt8] {
        let isIPv6 = text.contains(":")
        var bytes = [UInt8](repeating: 0, count: isIPv6 ? 16 : 4)
        return inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, &bytes) == 1 ? bytes : []
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.170", "192.0.2.1",
        "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "192.175.48.1", "198.18.0.1",
        "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
        "255.255.255.255", "::", "::1", "::2", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "::ffff:169.254.169.254", "::ffff:0:10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b::192.168.1.1",
        "64:ff9b:1::1.2.3.4", "100::1", "2001::1", "2001:1::1", "2001:2::1", "2001:20::1", "2001:db8::1",
        "2002:7f00:1::1", "2002:102:304::1", "2620:4f:8000::1", "3fff::1", "5f00::1", "fc00::1", "fd12:3456::1",
        "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1", "4000::1",
    ])
    func blocks(text: String) throws {
        let bytes = Self.bytes(text)
        try #require(!bytes.isEmpty)
        #expect(!PublicAddress.isPublic(bytes))
    }

    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255",
        "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.1", "192.0.1.1", "192.167.255.255",
        "198.17.255.255",
        "198.20.0.1", "223.255.255.255", "::ffff:1.1.1.1", "64:ff9b::8.8.8.8", "2001:200::1", "2001:4860::8888",
        "2606:4700::1111", "2a00:1450::1", "2003::1", "3fff:1000::1",
    ])
    func allows(text: String) throws {
        let bytes = Self.bytes(text)
        try #require(!bytes.isEmpty)
        #expect(PublicAddress.isPublic(bytes))
    }

    @Test
    func takesNothingElseForAnAddress() {
        #expect(!PublicAddress.isPublic([]))
        #expect(!PublicAddress.isPublic([1, 1, 1]))
        let reach = FetchReach.publicInternet
        for port in [22, 25, 81, 443, 6379] as [UInt16] {
            #expect(reach.isAllowed(.init(bytes: [1, 1, 1, 1], port: port)) == (port == 443))
        }
    }
}
