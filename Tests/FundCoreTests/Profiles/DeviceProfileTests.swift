import Foundation
import TestSupport
import Testing

@testable import FundCore

/// The property list of a profile, read back.
@Suite struct DeviceProfileTests {
    private typealias List = [String: Any]

    private static let ann = User(id: User.ID(7), email: "ann@example.com", name: "Ann Archer")

    private static func settings(_ change: (inout ProfileSettings) -> Void = { _ in }) -> ProfileSettings {
        var settings = ProfileSettings(store: 4711, publicURL: "https://funds.corp.example:8443")
        settings.authorities = [[1, 2, 3], [4, 5, 6]]
        settings.mail = ProfileSettings.MailServers(
            imap: .init(host: "imap.corp.example", port: 993), smtp: .init(host: "smtp.corp.example", port: 587))
        change(&settings)
        return settings
    }

    private static func profile(
        of user: User = ann, parts: Set<ProfilePart> = Set(ProfilePart.allCases), in language: ProfileLanguage = .en,
        by settings: ProfileSettings = settings()
    ) throws -> List {
        let bytes = DeviceProfile(ProfileOrder(for: user, parts: parts, language: language), settings).bytes
        #expect(String(validating: bytes, as: UTF8.self)?.hasPrefix("<?xml") == true)
        return try #require(try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? List)
    }

    private static func payloads(_ profile: List) throws -> [List] {
        try #require(profile["PayloadContent"] as? [List])
    }

    private static func payload(_ type: String, of profile: List) throws -> List {
        try #require(try payloads(profile).first { $0["PayloadType"] as? String == type })
    }

    @Test func setsUpAllParts() throws {
        let profile = try Self.profile()
        #expect(profile["PayloadType"] as? String == "Configuration" && profile["PayloadVersion"] as? Int == 1)
        #expect(profile["PayloadRemovalDisallowed"] as? Bool == false)
        #expect(profile["PayloadOrganization"] as? String == "funds.corp.example")
        let types = try Self.payloads(profile).map { $0["PayloadType"] as? String }
        #expect(
            types == [
                "com.apple.webClip.managed", "com.apple.security.root", "com.apple.security.root",
                "com.apple.carddav.account", "com.apple.mail.managed",
            ])
        let clip = try Self.payload("com.apple.webClip.managed", of: profile)
        #expect(clip["URL"] as? String == "https://funds.corp.example:8443/" && clip["FullScreen"] as? Bool == true)
        #expect((clip["Icon"] as? Data)?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        let root = try Self.payload("com.apple.security.root", of: profile)
        #expect(root["PayloadContent"] as? Data == Data([1, 2, 3]))
        let contacts = try Self.payload("com.apple.carddav.account", of: profile)
        #expect(
            contacts["CardDAVHostName"] as? String == "funds.corp.example" && contacts["CardDAVPort"] as? Int == 8443)
        #expect(contacts["CardDAVPrincipalURL"] as? String == "/carddav/principal/")
        #expect(
            contacts["CardDAVUsername"] as? String == "ann@example.com" && contacts["CardDAVUseSSL"] as? Bool == true)
        let mail = try Self.payload("com.apple.mail.managed", of: profile)
        #expect(mail["IncomingMailServerHostName"] as? String == "imap.corp.example")
        #expect(
            mail["OutgoingMailServerPortNumber"] as? Int == 587 && mail["EmailAccountName"] as? String == "Ann Archer")
    }

    @Test func holdsNoPassword() throws {
        for payload in try Self.payloads(Self.profile()) {
            let named = payload.keys.filter { $0.lowercased().contains("password") }
            #expect(named.isEmpty || named == ["OutgoingPasswordSameAsIncomingPassword"])
        }
    }

    /// A later profile replaces the one that a device has, and no other user's.
    @Test func namesAreThoseOfTheUserAndTheStore() throws {
        func names(_ profile: List) throws -> [String] {
            try ([profile] + Self.payloads(profile)).flatMap { list in
                [try #require(list["PayloadUUID"] as? String), try #require(list["PayloadIdentifier"] as? String)]
            }
        }
        let first = try names(Self.profile())
        #expect(Set(first).count == first.count)
        var renamed = Self.ann
        (renamed.email, renamed.name) = ("ann.archer@example.com", nil)
        #expect(try names(Self.profile(of: renamed, in: .zh, by: Self.settings { $0.organization = "Corp" })) == first)
        let moved = ProfileSettings(store: 4711, publicURL: "https://other.example")
        #expect(try names(Self.profile(parts: [.webClip, .contacts], by: moved)).prefix(2) == first.prefix(2))
        let bob = User(id: User.ID(8), email: "ann@example.com", name: "Ann Archer")
        #expect(try Set(first).isDisjoint(with: names(Self.profile(of: bob))))
        #expect(try Set(first).isDisjoint(with: names(Self.profile(by: Self.settings { $0.store = 4712 }))))
        // Another certificate is another payload.
        let renewed = try names(Self.profile(parts: [.authority], by: Self.settings { $0.authorities = [[9]] }))
        #expect(renewed.prefix(2) == first.prefix(2) && Set(renewed.dropFirst(2)).isDisjoint(with: first))
    }

    @Test func speaksTheLanguageOfTheReader() throws {
        let profile = try Self.profile(parts: [.webClip], in: .zh, by: Self.settings { $0.organization = "港湾资本" })
        #expect(profile["PayloadDisplayName"] as? String == "港湾资本 的 Fundmail")
        #expect((profile["PayloadDescription"] as? String)?.contains("主屏幕上的网页图标") == true)
        #expect(try Self.payloads(profile).first?["PayloadDisplayName"] as? String == "网页")
    }

    /// Characters that XML escapes, and those that it does not allow.
    @Test(arguments: [
        ("<&\">'", "<&\">'"), ("基金 & Söhne", "基金 & Söhne"), ("a\u{1}b\u{FFFE}c", "ab\u{FFFD}c"),
        ("one\r\ntwo", "one two"), ("a\u{202E}b]]>", "ab]]>"),
    ])
    func namesAreData(name: String, shown: String) throws {
        let user = User(id: User.ID(7), email: "a&b@example.com", name: name)
        let mail = try Self.payload("com.apple.mail.managed", of: Self.profile(of: user))
        #expect((mail["EmailAccountName"] as? String)?.replacing("  ", with: " ") == shown)
        #expect(mail["EmailAddress"] as? String == "a&b@example.com")
    }

    @Test func offersWhatIsKnown() {
        #expect(ProfileSettings(store: 1, publicURL: nil).parts.isEmpty)
        #expect(ProfileSettings(store: 1, publicURL: "nonsense").parts.isEmpty)
        #expect(ProfileSettings(store: 1, publicURL: "http://[::1]:8080").place?.host == "::1")
        #expect(ProfileSettings(store: 1, publicURL: "https://h.example").parts == [.webClip, .contacts])
        #expect(Self.settings().parts == ProfilePart.allCases)
    }
}
