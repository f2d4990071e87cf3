import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Profiles of devices by the web API and from their page.
@Suite struct ProfileTests {
    private static func types(_ answer: RawHTTPResponse) throws -> [String] {
        let list = try PropertyListSerialization.propertyList(from: Data(answer.body), format: nil) as? [String: Any]
        let payloads = try #require(list?["PayloadContent"] as? [[String: Any]])
        return payloads.compactMap { $0["PayloadType"] as? String }
    }

    @Test func theAPIGivesThem() async throws {
        let harness = try await ServerHarness()
        let token = try await harness.token(of: harness.people.ann)
        let offer = try await harness.send("GET", "/api/v1/profiles", token: token)
        #expect(
            offer.text == #"{"parts":["web_clip","authority","contacts","mail"],"signer":null,"signer_expired":false}"#)
        let all = try await harness.send("GET", "/api/v1/profiles/apple", token: token)
        #expect(all.status == 200 && all["content-type"] == "application/x-apple-aspen-config")
        #expect(all["content-disposition"] == "attachment; filename=\"Fundmail.mobileconfig\"")
        #expect(all["cache-control"] == "no-store")
        #expect(try Self.types(all).count == 4)
        let one = try await harness.send("GET", "/api/v1/profiles/apple?parts=contacts&language=zh", token: token)
        #expect(try Self.types(one) == ["com.apple.carddav.account"] && one.text.contains("通讯录"))
        for query in ["parts=passwords", "parts=contacts,", "language=de"] {
            #expect(try await harness.send("GET", "/api/v1/profiles/apple?\(query)", token: token).status == 400)
        }
        try await harness.stop()
    }

    @Test func thePageGivesWhatWasChosen() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let path = "/account/profiles/Fundmail.mobileconfig"
        let chosen = try await ann.get("\(path)?web_clip=true&mail=true", harness)
        #expect(try Self.types(chosen) == ["com.apple.webClip.managed", "com.apple.mail.managed"])
        let none = try await ann.get(path, harness)
        #expect(none.status == 422 && none.text.contains("class=\"failure\""))
        try await harness.stop()
    }

    /// People hear before they install a profile that its signature counts for nothing any more.
    @Test func anExpiredSignerIsSaid() async throws {
        var options = ServerHarness.Options()
        for isExpired in [false, true] {
            options.profiles = SampleProfiles(isSignerExpired: isExpired)
            let harness = try await ServerHarness(options)
            let ann = try await BrowserSession(harness.people.ann, harness)
            let page = try await ann.get("/account/profiles", harness)
            #expect(page.status == 200 && page.text.contains("has expired") == isExpired)
            let token = try await harness.token(of: harness.people.ann)
            let offer = try await harness.send("GET", "/api/v1/profiles", token: token)
            #expect(offer.text.contains(#""signer_expired":\#(isExpired)"#))
            try await harness.stop()
        }
    }

    /// Without a source, and where the files for the signature cannot be used: names of files are not sent.
    @Test func failuresAreWords() async throws {
        var options = ServerHarness.Options()
        options.profiles = SampleProfiles(failure: ProfileError(.identity, "the key /secret/place cannot be read"))
        let harness = try await ServerHarness(options)
        let token = try await harness.token(of: harness.people.ann)
        let answer = try await harness.send("GET", "/api/v1/profiles/apple", token: token)
        #expect(answer.status == 503 && answer.text.contains("profile-failed") && !answer.text.contains("/secret"))
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/account/profiles/Fundmail.mobileconfig?web_clip=true", harness)
        #expect(page.status == 503 && !page.text.contains("/secret"))
        try await harness.stop()
        options.profiles = nil
        let bare = try await ServerHarness(options)
        let other = try await BrowserSession(bare.people.ann, bare)
        let empty = try await other.get("/account/profiles", bare)
        #expect(empty.status == 200 && !empty.text.contains("<form action="))
        try await bare.stop()
    }
}
