import FundCore
import TestSupport
import Testing

@testable import MailWatch

/// Tokens from commands, files and variables, and their expiry.
struct AccessTokenTextTests {
    private static let now: Timestamp = 1_700_000_000
    /// Not signed; nothing here asks for the signature.
    private static func jwt(_ claims: String) -> String { "e30.\(Base64.urlText(Array(claims.utf8))).c2ln" }

    private func read(_ text: String) throws -> AccessTokenText { try AccessTokenText(printed: text, at: Self.now) }

    @Test(
        arguments: [
            ("token", nil), (" token\r\n", nil),
            (#"{"access_token":"token"}"#, nil),
            ("\n{ \"access_token\" : \"token\",\n\"token_type\":\"Bearer\", \"expires_in\": 3600 }\n", 1_700_003_600),
            (#"{"access_token":"token","expires_in":0.5,"error":"x","scope":["a",{}]}"#, 1_700_000_000),
            // An impossible lifetime counts as unknown.
            (#"{"access_token":"token","expires_in":-1}"#, nil),
            (#"{"access_token":"token","expires_in":"3600"}"#, 1_700_003_600),
            (#"{"access_token":"token","expires_in":null}"#, nil),
            (#"{"access_token":"token","expires_in":1e300}"#, nil),
            (#"{"access_token":"token","expires_in":1e400}"#, nil),
            (#"{"access_token":"token","expires_in":99999999999999999999999}"#, nil),
            (#"{"access_token":"token","expires_in":251702300799}"#, 253_402_300_799),
            (#"{"access_token":"token","expires_in":251702300800}"#, nil),
        ] as [(String, Timestamp?)])
    func readsATokenAndItsTime(_ printed: String, _ expiry: Timestamp?) throws {
        let text = try read(printed)
        #expect(text.token.value == "token" && text.expiresAt == expiry && text.fetchedAt == Self.now)
    }

    @Test(arguments: [
        ("", "prints nothing"), (" \n", "prints nothing"), ("two words", "prints more than a token"),
        ("{", "JSON that cannot be read"), (#"{"access_token":"secret""#, "JSON that cannot be read"),
        (#"{"access_token":"secret"} {}"#, "JSON that cannot be read"),
        (#"{"refresh_token":"secret"}"#, "a JSON object without access_token"),
        (#"{"access_token":["secret"]}"#, "a JSON object without access_token"),
        (#"{"access_token":""}"#, "a JSON object without access_token"),
        (#"{"access_token":"secret words"}"#, "an access_token of more than one word"),
        (#"{"error":"invalid_grant","refresh_token":"secret"}"#, "reports invalid_grant;"),
        (
            #"{"error":"invalid_grant","error_description":"It has\n expired\u001b[2J."}"#,
            "invalid_grant: It has  expired[2J.;"
        ),
        (#"{"error":7,"error_description":"secret"}"#, "a JSON object without access_token"),
    ])
    func failsInWords(_ printed: String, _ words: String) throws {
        let error = #expect(throws: CredentialError.self) { try read(printed) }
        let text = try #require(error?.description)
        #expect("\(text);".contains(words) && text.hasPrefix("its token_command "), "\(text)")
        #expect(!text.contains("secret") && error?.condition == .unavailable)
    }

    @Test func aLongErrorIsCut() throws {
        let printed = #"{"error":"invalid_grant","error_description":"\#(String(repeating: "é", count: 9999))"}"#
        let error = #expect(throws: CredentialError.self) { try read(printed) }
        let text = try #require(error?.description)
        #expect((298...300).contains(text.trimmingPrefix("its token_command reports ").utf8.count), "\(text)")
    }

    /// RFC 7519 §4.1.4.
    @Test(
        arguments: [
            (jwt(#"{"exp":1700000060}"#), 1_700_000_060), (jwt(#"{"sub":"a","exp":1700000060.9}"#), 1_700_000_060),
            (jwt(#"{"exp":1500000000}"#), 1_500_000_000),
            (jwt("{}"), nil), (jwt(#"{"exp":"1700000060"}"#), nil), (jwt(#"{"exp":true}"#), nil),
            (jwt(#"{"exp":-1}"#), nil), (jwt(#"{"exp":1e18}"#), nil), (jwt(#"{"exp":1e999}"#), nil),
            (jwt(#"{"exp":253402300799}"#), 253_402_300_799), (jwt(#"{"exp":253402300800}"#), nil),
            (jwt("[1]"), nil), (jwt("no JSON"), nil), (jwt(String(repeating: "[", count: 9999)), nil),
            // Its payload is no base64, or its parts are not three.
            ("e30.eyJleHAi*.c2ln", nil), ("e30.eyJleHAiO.c2ln", nil), ("e30.eyJleHAiOjE3MDAwMDAwNjB9", nil),
            ("a.e30.eyJleHAiOjE3MDAwMDAwNjB9.b", nil), ("..", nil), ("...", nil),
        ] as [(String, Timestamp?)])
    func readsTheTimeOfAJSONWebToken(_ token: String, _ expiry: Timestamp?) throws {
        #expect(AccessTokenText(kept: token, at: Self.now).expiresAt == expiry)
        let printed = try read(token)
        #expect(printed.expiresAt == expiry && printed.token.value == token)
        // The server's word about its token comes first.
        #expect(try read(#"{"access_token":"\#(token)"}"#).expiresAt == expiry)
        #expect(try read(#"{"access_token":"\#(token)","expires_in":60}"#).expiresAt == 1_700_000_060)
        #expect(try read(#"{"access_token":"\#(token)","expires_in":-60}"#).expiresAt == expiry)
    }

    /// A file is read as it is: `doctor` warns of blanks in it.
    @Test func keepsWhatAFileHolds() {
        #expect(AccessTokenText(kept: "a b ", at: Self.now).token.value == "a b ")
        #expect(AccessTokenText(kept: #"{"access_token":"a"}"#, at: Self.now).token.value.hasPrefix("{"))
    }

    @Test func showsNothing() {
        let text = AccessTokenText(kept: "sesame", at: Self.now)
        var dumped = ""
        dump(text, to: &dumped)
        #expect(!"\(text)\(String(reflecting: text))\(dumped)".contains("sesame"))
    }
}
