import FundCore
import TestSupport
import Testing

@testable import FundServer

struct RelyingPartyTests {
    static let site = RelyingParty(url: "https://funds.corp.example")

    @Test(arguments: [
        ("https://Funds.corp.example", "https://funds.corp.example", "funds.corp.example"),
        ("https://funds.corp.example:443", "https://funds.corp.example", "funds.corp.example"),
        ("https://funds.corp.example:8443/mail", "https://funds.corp.example:8443", "funds.corp.example"),
        ("http://localhost:8080", "http://localhost:8080", "localhost"),
    ])
    func knowsItsAddress(_ url: String, _ origin: String, _ id: String) throws {
        let site = try #require(RelyingParty(url: url))
        #expect(site.origin == origin && site.id == id)
    }

    @Test(arguments: [
        "http://funds.corp.example", "https://192.0.2.1", "https://[2001:db8::1]", "https://", "ftp://a.example", "x",
        "https://a b.example", "https://localhost.evil.127",
    ])
    func knowsWhereThereAreNoPasskeys(_ url: String) { #expect(RelyingParty(url: url) == nil) }

    @Test
    func believesNoNameOfARequest() {
        #expect(RelyingParty(authority: "localhost:8080", isEncrypted: false)?.origin == "http://localhost:8080")
        for authority in ["evil.example", "127.0.0.1:8080", "localhost.evil.example", "evil.localhost"] {
            #expect(RelyingParty(authority: authority, isEncrypted: true) == nil)
        }
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases)
    func takesWhatHonestDevicesMake(_ algorithm: SoftwareAuthenticator.Algorithm) throws {
        let site = try #require(Self.site)
        var device = SoftwareAuthenticator(algorithm, at: site)
        device.counter = 7
        let made = device.create([1, 2, 3])
        try ClientData(made.client).check(.create, by: site)
        let (key, counter) = try site.passkey(in: made.attestation)
        #expect(key.credential == device.credential && counter == 7)
        let answer = try #require(try device.answer([4, 5, 6], of: 1))
        #expect(answer.challenge == [4, 5, 6] && answer.user == site.handle(of: 1))
        #expect(try answer.counter(by: key, to: site) == 7)
        // An attestation of a maker is read, whatever it is.
        var attested = SoftwareAuthenticator.Changes()
        attested.format = "packed"
        attested.statement = [0xA2, 0x63, 0x61, 0x6C, 0x67, 0x26, 0x63, 0x78, 0x35, 0x63, 0x81, 0x41, 0x00]
        #expect(try site.passkey(in: device.create([1], attested).attestation).key == key)
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases)
    func refusesTheRest(_ algorithm: SoftwareAuthenticator.Algorithm) throws {
        let site = try #require(Self.site)
        let device = SoftwareAuthenticator(algorithm, at: site)
        let other = SoftwareAuthenticator(algorithm, at: site)
        let (key, _) = try site.passkey(in: device.create([1]).attestation)
        func change(_ change: (inout SoftwareAuthenticator.Changes) -> Void) -> SoftwareAuthenticator.Changes {
            var changes = SoftwareAuthenticator.Changes()
            change(&changes)
            return changes
        }
        let attacks: [(SoftwareAuthenticator.Changes, WebAuthnError)] = [
            (change { $0.type = "webauthn.create" }, .wrongType),
            (change { $0.type = "payment.get" }, .wrongType),
            (change { $0.origin = "https://funds.corp.example.evil.example" }, .wrongOrigin),
            (change { $0.origin = "http://funds.corp.example" }, .wrongOrigin),
            (change { $0.origin = "https://funds.corp.example:444" }, .wrongOrigin),
            (change { $0.more = #","crossOrigin":true"# }, .wrongOrigin),
            (change { $0.more = #","topOrigin":"https://evil.example""# }, .wrongOrigin),
            (change { $0.site = "corp.example" }, .wrongOrigin),
            // Present, and not verified; verified, and not present.
            (change { $0.flags = 0x01 }, .unverified), (change { $0.flags = 0x04 }, .unverified),
            // Backed up without being eligible for it; a credential, and extensions, that are not there.
            (change { $0.flags = 0x15 }, .malformed), (change { $0.flags = 0x45 }, .malformed),
            (change { $0.flags = 0x85 }, .malformed),
        ]
        for (changes, error) in attacks {
            let answer = try #require(try device.answer([4], of: 1, changes))
            #expect(throws: error) { try answer.counter(by: key, to: site) }
        }
        let foreign = try #require(try other.answer([4], of: 1))
        #expect(throws: WebAuthnError.wrongSignature) { try foreign.counter(by: key, to: site) }
        // A key of another kind under the same id.
        let algorithms = SoftwareAuthenticator.Algorithm.allCases
        let stranger = SoftwareAuthenticator(try #require(algorithms.first { $0 != algorithm }), at: site)
        let (strange, _) = try site.passkey(in: stranger.create([1]).attestation)
        let answer = try #require(try device.answer([4], of: 1))
        #expect(throws: WebAuthnError.wrongSignature) { try answer.counter(by: strange, to: site) }
    }
}
