import Foundation
import Testing

@testable import FundClient

@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("funds.example.com", "https://funds.example.com"), ("https://Funds.Example.com/", "https://funds.example.com"),
        ("https://funds.example.com:443", "https://funds.example.com"), ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://127.0.0.1:80", "http://127.0.0.1"), ("localhost:8443", "https://localhost:8443"),
    ])
    func readsWhatPeopleWrite(_ text: String, _ address: String) {
        #expect(ServerAddress(text)?.description == address)
    }

    @Test(arguments: [
        "", "https://", "ftp://funds.example.com", "https://ann:secret@funds.example.com",
        "https://funds.example.com/x",
        "https://funds.example.com/?a=b", "https://funds.example.com#x", "https://a b", "https://a\nb",
        "https://ä.example",
        "https://a:0", "https://a:70000", "https://a:b",
    ])
    func refusesAllElse(_ text: String) { #expect(ServerAddress(text) == nil) }

    @Test func keysAreNamesOfFolders() throws {
        for text in ["http://[::1]:8080", "https://funds.example.com", "http://funds.example.com:443"] {
            let key = Account(server: try address(text), email: "../a/b", user: UserID(7)).key
            #expect(!key.isEmpty && !key.contains("/") && !key.contains(":") && !key.hasPrefix("."))
        }
    }

    @Test func readsTheTimeOfAServer() {
        #expect(HTTPDate.read("Sun, 06 Nov 1994 08:49:37 GMT") == Date(timeIntervalSince1970: 784_111_777))
        for text in ["", "Sun, 06 Nov 1994 08:49:37", "Sunday, 06-Nov-94 08:49:37 GMT", "x, y z a:b:c d GMT"] {
            #expect(HTTPDate.read(text) == nil)
        }
    }

    /// Passwords go to this machine alone without encryption.
    @Test(arguments: [
        ("http://localhost:8080", true), ("http://127.1.2.3", true), ("http://[::1]", true),
        ("http://127.funds.example", false), ("http://127.0.0.1.funds.example", false), ("http://128.0.0.1", false),
    ])
    func isThisMachine(_ text: String, isLoopback: Bool) {
        #expect(ServerAddress(text)?.isLoopback == isLoopback)
    }
}
