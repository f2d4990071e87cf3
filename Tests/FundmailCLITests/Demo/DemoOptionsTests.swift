import ArgumentParser
import Testing

@testable import FundmailCLI

/// Where a demo listens, and with which options it does not go together.
@Suite struct DemoOptionsTests {
    @Test(arguments: [
        "", "--demo-listen 127.0.0.1:0", "--demo-listen localhost:80", "--demo-listen [::1]:8080",
        "--demo-listen 0.0.0.0:8080 --demo-public", "--demo-listen [::]:8080 --demo-public", "--log-format json",
    ])
    func areTaken(_ words: String) throws {
        _ = try ServeCommand.parse(["--demo"] + words.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        ("--demo --demo-listen 0.0.0.0:8080", "--demo-public"), ("--demo --demo-listen [::]:8080", "--demo-public"),
        ("--demo --demo-listen 192.0.2.1:80", "--demo-public"),
        ("--demo --demo-listen 127.example.com:80", "--demo-public"),
        ("--demo --demo-listen 8080", "an address and a port"), ("--demo --demo-listen :80", "an address and a port"),
        ("--demo --demo-listen localhost:65536", "an address and a port"),
        ("--demo --store /tmp/x", "leave out --config and --store"),
        ("--demo --config x.yaml", "leave out --config and --store"),
        ("--demo-public", "belong to --demo"), ("--demo-listen 127.0.0.1:1", "belong to --demo"),
    ])
    func areRefused(_ words: String, _ reason: String) {
        let error = #expect(throws: (any Error).self) {
            try ServeCommand.parse(words.split(separator: " ").map(String.init))
        }
        #expect(error.map { ServeCommand.message(for: $0).contains(reason) } == true, "\(String(describing: error))")
    }
}
