import FundCore
import TestSupport
import Testing

@testable import DriveBridge

/// The file that rclone gets.
struct RemoteConfigurationTests {
    private static func lines(_ kind: DriveKind, _ values: [String: String]) throws -> [String] {
        let remote = try RemoteConfiguration(try DriveSettings(kind, values))
        return String(decoding: remote.file, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private static let values = [
        "url": "https://a.example/dav", "endpoint": "https://a.example:9000", "auth": "https://a.example/v3",
    ]

    /// Options that lead out of the child, or to files and programs in it.
    private static let forbidden = [
        "command", "file", "profile", "session", "unix_socket", "sas_url", "msi", "emulator", "download_url", "remote",
        "upstreams", "headers", "bearer", "service_account",
    ]

    @Test(arguments: DriveKind.allCases)
    func optionsOfAnAllowList(_ kind: DriveKind) throws {
        var values: [String: String] = [:]
        for field in kind.fields {
            switch field.form {
            case .address: values[field.name] = Self.values[field.name]
            case .choice(let choices): values[field.name] = choices[0]
            case .text, .secret: values[field.name] = "a` = b"
            }
        }
        guard !kind.usesOAuth else {
            let none = try DriveSettings(kind, [:])
            #expect(throws: DriveError.self) { try RemoteConfiguration(none) }
            var token = try DriveToken(access: "access", refresh: "canary", lifetime: 10, at: 0)
            (token.driveID, token.driveType, token.host) = ("d", "personal", "api.pcloud.com")
            let remote = try RemoteConfiguration(try DriveSettings(kind, [:], token: try token.text))
            let text = String(decoding: remote.file, as: UTF8.self)
            #expect(text.contains("access") && !text.contains("canary") && !text.contains("client"))
            for name in Self.forbidden { #expect(!text.contains(name), "\(name)") }
            return
        }
        let lines = try Self.lines(kind, values)
        #expect(lines.first == "[drive]" && lines.dropFirst().first?.hasPrefix("type = ") == true)
        let names = lines.dropFirst().map { String($0.prefix { $0 != " " }) }
        #expect(Set(names).count == names.count)
        let fields = Set(kind.fields.map(\.name)).union(["type", "provider", "env_auth", "no_check_bucket", "vendor"])
        #expect(names.allSatisfy(fields.contains))
        for name in names { #expect(!Self.forbidden.contains { name.contains($0) }, "\(name)") }
        #expect(!lines.contains("env_auth = true"))
        for (name, value) in [("type", "local"), ("bearer_token_command", "id"), ("env_auth", "true"), ("sa", "x")] {
            #expect(throws: DriveError.self) { try DriveSettings(kind, values.merging([name: value]) { $1 }) }
        }
    }

    @Test(arguments: ["a\nb", "a\r[other]", "a\0b", "%(pass)s", "x%(type)s"])
    func valuesThatTheFileCannotHoldAreRefused(_ value: String) {
        #expect(throws: DriveError.self) {
            try Self.lines(.webdav, ["url": "https://a.example/", "user": value, "pass": "p"])
        }
    }

    @Test(arguments: [
        "http://a.example/", "https://u:p@a.example/", "file:///etc", "https://", "a.example", "https://a.example:x/",
        "ftp://a.example/", "https://[::1/", "https://a b.example/",
    ])
    func addressesOfOtherKindsAreRefused(_ url: String) {
        #expect(throws: DriveError.self) {
            try Self.lines(.webdav, ["url": url, "user": "u", "pass": "p"])
        }
    }

    @Test func pathsBeginInTheBucket() throws {
        let values = ["bucket": "b", "account": "a", "key": "k"]
        let remote = try RemoteConfiguration(try DriveSettings(.b2, values))
        #expect(remote.remote(.top) == "drive:b")
        #expect(remote.remote(try #require(DrivePath(["x", "y: z,w"]))) == "drive:b/x/y: z,w")
        for bucket in ["..", "a/b", "."] {
            #expect(throws: DriveError.self) { try Self.lines(.b2, values.merging(["bucket": bucket]) { $1 }) }
        }
    }
}
