import Foundation
import FundCore
import FundStore
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Signing in on the page of a store, and the way back.
struct DriveSignInTests {
    private struct Place {
        let harness: ServerHarness
        let ann: BrowserSession
        let signIn = SampleSignIn()

        init() async throws {
            var options = ServerHarness.Options()
            options.drives = SampleDrives(["a.txt": [1]], signInKinds: [.box])
            options.driveSigningIn = signIn
            harness = try await ServerHarness(options)
            ann = try await BrowserSession(harness.people.ann, harness)
        }

        /// Begins on the page. Returns the state that the store is given.
        func begin(_ path: String = "/library/drives/new", _ form: String = "kind=box&name=My+box") async throws
            -> String
        {
            let page = try await ann.post(path, form, harness)
            #expect(page.status == 200 && page.text.contains("rel=\"noreferrer\""), "\(page.text.prefix(300))")
            #expect(page.text.contains("https://store.example/consent?state="))
            return try Self.state(in: page.text)
        }

        static func state(in text: String) throws -> String {
            let start = try #require(text.range(of: "consent?state="))
            return String(text[start.upperBound...].prefix { $0 != "&" })
        }

        func back(_ query: String, as session: BrowserSession? = nil) async throws -> RawHTTPResponse {
            try await (session ?? ann).get("/library/drives/sign-in?\(query)", harness)
        }

        func drives() async throws -> [Drive] {
            try await harness.store.drives.drives(of: harness.people.ann.id)
        }

        func program(_ path: String, _ body: String, _ token: String) async throws -> RawHTTPResponse {
            try await harness.send("POST", "/api/v1/drives/sign-ins\(path)", token: token, json: body)
        }
    }

    /// The return adds a drive once, in the session that began, and in no other.
    @Test func theStateIsOfOneSessionAndGoodOnce() async throws {
        let place = try await Place()
        #expect(try await place.ann.get("/library/drives/new", place.harness).text.contains("kind=box"))
        let form = try await place.ann.get("/library/drives/new?kind=box", place.harness)
        #expect(form.text.contains("<h1>Sign in to Box</h1>"))
        let state = try await place.begin()
        let other = try await BrowserSession(place.harness.people.ann, place.harness)
        let bea = try await BrowserSession(place.harness.people.bea, place.harness)
        for session in [other, bea] {
            #expect(try await place.back("state=\(state)&code=right", as: session).status == 422)
        }
        for query in [
            "state=other&code=right", "code=right", "state=&code=right", "state=\(state)",
        ] {
            #expect(try await place.back(query).status == 422, "\(query)")
        }
        #expect(try await place.drives().isEmpty && place.signIn.answers.withLock(\.isEmpty))
        // A browser that comes from another site brings no cookie, and loads the page again.
        let again = try await place.harness.send(
            "GET", "/library/drives/sign-in?state=\(state)&code=right", fields: ["Sec-Fetch-Site": "cross-site"])
        #expect(again.status == 200 && again.text.contains("http-equiv=\"refresh\""))
        let added = try await place.back("state=\(state)&code=right")
        let drive = try #require(try await place.drives().first)
        #expect(added.status == 303 && added["location"] == "/library/drives/\(drive.id)?done=drive-added")
        #expect(drive.name == "My box" && drive.kind == .box)
        #expect(try await place.back("state=\(state)&code=right").status == 422)
        #expect(try await place.drives().count == 1)
        let verifier = try #require(place.signIn.answers.withLock { $0.first?.verifier })
        #expect(verifier.utf8.count >= 43)
        // A name that cannot be is refused before a store is asked.
        for name in ["MY+BOX", "", "a%2Fb", "..", "x%0Ay", "a%E2%80%AEb", String(repeating: "n", count: 300)] {
            let refused = try await place.ann.post("/library/drives/new", "kind=box&name=\(name)", place.harness)
            #expect(refused.status == 422 && !refused.text.contains("store.example"), "\(name)")
        }
        // A person who refuses ends the sign-in.
        let denied = try await place.begin("/library/drives/new", "kind=box&name=B")
        for query in ["error=access_denied", "code=right"] {
            let page = try await place.back("state=\(denied)&\(query)")
            #expect(page.status == 422 && !page.text.contains("Go on to the store"))
        }
        try await place.harness.stop()
    }

    @Test func aDriveIsSignedInToAnew() async throws {
        let place = try await Place()
        _ = try await place.back("state=\(try await place.begin())&code=right")
        let drive = try #require(try await place.drives().first)
        try await place.harness.store.drives.noteProblem(.login, of: drive.id)
        let path = "/library/drives/\(drive.id)/settings"
        #expect(try await place.ann.get(path, place.harness).text.contains("Sign in"))
        let refused = try await place.back("state=\(try await place.begin(path, "kind=box"))&code=unknown-code")
        #expect(refused.status == 422 && !refused.text.contains("unknown-code"))
        #expect(try await place.drives().first?.problem == .login)
        #expect(refused.text.contains("href=\"\(path)\""))
        // Transfers would go on in the other account.
        let other = try await place.back("state=\(try await place.begin(path, "kind=box"))&code=other")
        #expect(other.status == 422 && other.text.contains("another account"))
        #expect(try await place.drives().first?.problem == .login)
        let kept = try await place.back("state=\(try await place.begin(path, "kind=box"))&code=right")
        #expect(kept["location"] == "/library/drives/\(drive.id)?done=drive-saved")
        #expect(try await place.drives().map(\.problem) == [nil])
        try await place.harness.stop()
    }

    /// A program begins, a person consents in a browser, and brings it the code.
    @Test func programsGetTheCodeFromAPerson() async throws {
        let place = try await Place()
        let token = try await place.harness.token(of: place.harness.people.ann)
        let bea = try await place.harness.token(of: place.harness.people.bea)
        #expect(try await place.program("", #"{"kind":"b2","name":"B"}"#, token).status == 400)
        #expect(try await place.program("", #"{"kind":"dropbox","name":"B"}"#, token).status == 403)
        #expect(try await place.program("", #"{"kind":"box"}"#, token).status == 400)
        let begun = try await place.program("", #"{"kind":"box","name":"B"}"#, token)
        #expect(begun.status == 201)
        let state = try Place.state(in: begun.text)
        let page = try await place.back("state=\(state)&code=right&hostname=eapi.store.example")
        #expect(page.status == 200 && page.text.contains("<code>right</code>"))
        #expect(!page.text.contains("Go on to the store"))
        #expect(try await place.drives().isEmpty)
        let body = #"{"id":"\#(state)","code":"right"}"#
        let foreign = try await place.program("/finish", body, bea)
        #expect(foreign.status == 422 && foreign.text.contains("this sign-in has ended"))
        #expect(try await place.program("/finish", body, token).status == 201)
        #expect(try await place.program("/finish", body, token).status == 422)
        #expect(try await place.drives().map(\.name) == ["B"])
        // The oldest of those that a person never ended makes room for another.
        var states: [String] = []
        for number in 0...20 {
            let begun = try await place.program("", #"{"kind":"box","name":"N\#(number)"}"#, token)
            states.append(try Place.state(in: begun.text))
        }
        for (state, status) in [(states[0], 422), (states[1], 201)] {
            #expect(try await place.program("/finish", #"{"id":"\#(state)","code":"right"}"#, token).status == status)
        }
        // A person carries the code alone; the region of the account came beside it.
        #expect(place.signIn.answers.withLock { $0.map(\.host) } == ["eapi.store.example", nil])
        try await place.harness.stop()
    }
}
