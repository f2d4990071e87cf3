import FundCore
import TestSupport
import Testing

@testable import DriveBridge

/// Tokens and the places that give them, without a store.
struct DriveTokenTests {
    private static func token(_ access: String = "a.B-1_~+/=", lifetime: Double? = 100) throws -> DriveToken {
        try DriveToken(access: access, refresh: "canary", lifetime: lifetime, at: 1000)
    }

    @Test(arguments: [(999, false), (1000, true), (1079, true), (1080, false), (2000, false)] as [(Int64, Bool)])
    func isRenewedBeforeItsEnd(_ now: Int64, _ isFresh: Bool) throws {
        #expect(try Self.token().isFresh(at: Timestamp(now)) == isFresh)
        #expect(try Self.token(lifetime: nil).isFresh(at: Timestamp(now)))
    }

    @Test(arguments: ["", "a b", "a\nb", "a`b", "a\"b", "a\\b", "%(x)s", "\u{E9}"])
    func othersAreNoAccessTokens(_ text: String) {
        #expect(throws: DriveError.self) { try Self.token(text) }
    }

    @Test func rcloneGetsTheAccessTokenAlone() throws {
        #expect(
            try Self.token("a").option
                == #"{"access_token":"a","token_type":"Bearer","expiry":"1970-01-01T00:18:20Z"}"#)
        #expect(try Self.token("a", lifetime: nil).option == #"{"access_token":"a","token_type":"Bearer"}"#)
    }

    @Test func keepsAllThatItNeeds() throws {
        var token = try Self.token()
        (token.driveID, token.driveType, token.host, token.isEnded) = ("b!1", "business", "eapi.pcloud.com", true)
        let settings = try DriveSettings(.oneDrive, [:], token: try token.text)
        #expect(try DriveToken.of(settings) == token)
        for text in [nil, "", "{}", "canary"] {
            let settings = try DriveSettings(.box, [:], token: text)
            #expect(throws: DriveError.self) { try DriveToken.of(settings) }
        }
    }

    /// The least scopes, the proof where the store knows it, and nothing that a value could add.
    @Test(arguments: DriveKind.allCases.filter(\.usesOAuth))
    func pagesOfStores(_ kind: DriveKind) throws {
        let server = try #require(AuthorizationServer(kind, tenant: "a/b?c", host: "evil.example"))
        let request = DriveSignInRequest(state: "s&client_id=x", challenge: "c")
        let address = server.address(for: DriveClient(id: "i&d"), request, redirect: "https://o.example/x?y")
        #expect(address.hasPrefix("https://") && !server.tokenHost.contains("evil") && !address.contains("a/b"))
        #expect(address.contains("&client_id=i%26d&redirect_uri=https%3A%2F%2Fo.example%2Fx%3Fy&"))
        #expect(address.contains("&state=s%26client_id%3Dx") && address.contains("code_challenge=c") == server.hasProof)
        #expect(!address.contains(".All") && !address.contains("sharing"))
        // Its tokens go to no other company.
        let policy = EgressPolicy(rules: DriveRules()).limited(to: kind.hosts)
        for host in ["example.com", "www.example.com", "evilpcloud.com", "sharepoint.com.evil.example"] {
            #expect(throws: DriveError.self) { try policy.verdict(on: host, 443) }
        }
        for host in kind.hosts ?? [] {
            let host = host.hasPrefix(".") ? "x\(host)" : host
            #expect(try policy.verdict(on: host, 443) == .isPublic, "\(host)")
            #expect(throws: DriveError.self) { try policy.verdict(on: host, 8443) }
        }
    }
}
