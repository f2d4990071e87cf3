import Foundation
import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// Every method of WebDAV, with every kind of caller. Where a path names what another user has, it names nothing for
/// them.
struct DAVMatrixTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var method: String
        /// Below Ann's fund, in which there are the file `a` and the folder `box`.
        var path: String
        var fields: [String: String] = [:]
        var body = ""
        /// For Ann, who owns the fund and is no administrator.
        var owner: Int
        /// For Bea, who owns nothing of it, and for Root, an administrator who does not either.
        var other: Int

        var testDescription: String { "\(method) \(path)" }
    }

    private static let patch =
        "<D:propertyupdate xmlns:D='DAV:'><D:set><D:prop><x xmlns='x'/></D:prop></D:set></D:propertyupdate>"

    static let rows = [
        // Tells what the server can do, and nothing of what is there.
        Row(method: "OPTIONS", path: "a", owner: 200, other: 200),
        Row(method: "GET", path: "a", owner: 200, other: 404),
        Row(method: "GET", path: "", owner: 200, other: 404),
        Row(method: "HEAD", path: "a", owner: 200, other: 404),
        Row(method: "PROPFIND", path: "a", fields: ["Depth": "0"], owner: 207, other: 404),
        Row(method: "PROPFIND", path: "", fields: ["Depth": "1"], owner: 207, other: 404),
        Row(method: "PROPPATCH", path: "a", body: patch, owner: 207, other: 404),
        Row(method: "PUT", path: "a", body: "new", owner: 204, other: 409),
        Row(method: "PUT", path: "b", body: "new", owner: 201, other: 409),
        Row(method: "MKCOL", path: "sub/", owner: 201, other: 409),
        Row(method: "COPY", path: "a", fields: ["Destination": "/dav/FUND/c"], owner: 201, other: 404),
        Row(method: "MOVE", path: "c", fields: ["Destination": "/dav/FUND/d"], owner: 201, other: 404),
        Row(method: "LOCK", path: "a", body: DAVHarness.lockBody(), owner: 200, other: 409),
        Row(method: "UNLOCK", path: "a", fields: ["Lock-Token": "TOKEN"], owner: 204, other: 404),
        Row(method: "LOCK", path: "made", body: DAVHarness.lockBody(), owner: 201, other: 409),
        Row(method: "UNLOCK", path: "made", fields: ["Lock-Token": "TOKEN"], owner: 204, other: 404),
        Row(method: "DELETE", path: "box/", owner: 204, other: 404),
        Row(method: "DELETE", path: "a", owner: 204, other: 404),
        Row(method: "DELETE", path: "", owner: 204, other: 404),
    ]

    private static let readingMethods: Set = ["OPTIONS", "GET", "HEAD", "PROPFIND"]

    /// A new method must say here who may use it.
    @Test func hasARowForEveryMethod() {
        #expect(Set(Self.rows.map(\.method)) == Set(WebDAV.methods.map(\.rawValue)))
    }

    @Test func answersEveryCaller() async throws {
        var options = ServerHarness.Options()
        // Wrong passwords are what is tried here, and not how many of them are borne.
        let patience = BackOff.Rule(freeFailures: 10_000, maxSeconds: 1)
        (options.accounts.backOff.pair, options.accounts.backOff.address) = (patience, patience)
        options.accounts.backOff.name = patience
        let harness = try await ServerHarness(options)
        let people = harness.people
        let fund = try await harness.store.library.addFund("Matrix", of: people.ann.id)
        let place = LibraryPlace(fund: fund.id)
        let upload = try harness.store.library.makeUpload(named: "a", announcing: nil)
        _ = try await harness.store.library.addFile(
            try upload.finish(contentType: "text/plain"), at: FileTarget("a", in: place, ifTaken: .refuse),
            of: people.ann.id)
        _ = try await harness.store.library.addFolder("box", in: place, of: people.ann.id)
        let revoked = try await harness.appPassword(of: people.ann)
        _ = try await harness.store.accounts.revokeToken(revoked.record.id, of: people.ann.id, actor: "test")
        func basic(_ user: User) async throws -> String {
            DAVHarness.basic(user.email, try await harness.appPassword(of: user).characters)
        }
        let strangers: [(name: String, credentials: String?)] = [
            ("nobody", nil), ("a wrong password", DAVHarness.basic(people.ann.email, "x")),
            ("revoked", DAVHarness.basic(people.ann.email, revoked.characters)),
            ("another's password", try await basic(people.bea).replacingUser(people.ann.email)),
            // Good for the other interfaces only.
            ("a token", DAVHarness.basic(people.ann.email, try await harness.token(of: people.ann))),
            ("disabled", try await harness.beforeDisabling(people.dan) { try await basic(people.dan) }),
        ]
        let reading = DAVHarness.basic(
            people.ann.email, try await harness.appPassword(of: people.ann, reach: .read).characters)
        let (bea, root, ann) = (try await basic(people.bea), try await basic(people.root), try await basic(people.ann))
        var token = "<urn:none>"
        for row in Self.rows {
            let callers =
                strangers.map { ($0.name, $0.credentials, 401) } + [
                    ("other", bea, row.other), ("administrator", root, row.other),
                    ("reading", reading, Self.readingMethods.contains(row.method) ? row.owner : 403),
                    ("owner", ann, row.owner),
                ]
            for (name, credentials, status) in callers {
                var fields = row.fields.mapValues {
                    $0.replacing("FUND", with: "Matrix").replacing("TOKEN", with: token)
                }
                if let credentials { fields["Authorization"] = credentials }
                let response = try await harness.send(
                    row.method, "/dav/Matrix/" + row.path, fields: fields, body: Array(row.body.utf8))
                #expect(response.status == status, "\(row.testDescription), \(name): \(response.text.prefix(300))")
                #expect((response["www-authenticate"] != nil) == (status == 401), "\(row.testDescription), \(name)")
                if let new = response["lock-token"] { token = new }
            }
        }
        // A refused request left nothing behind.
        #expect(try await harness.store.library.funds(of: people.bea.id).map(\.name) == ["Other"])
        #expect(try await harness.store.library.funds(of: people.root.id).isEmpty)
        try await harness.stop()
    }
}

extension DAVMatrixTests {
    /// A client that asks first learns that nothing can be changed, and that there are no locks.
    @Test func tellsWhatAReadingPasswordMayDo() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        let password = try await harness.appPassword(of: ann, reach: .read)
        let fields = ["Authorization": DAVHarness.basic(ann.email, password.characters)]
        let options = try await harness.send("OPTIONS", "/dav/", fields: fields)
        #expect(options["allow"] == "OPTIONS, GET, HEAD, PROPFIND" && options["dav"] == "1, 3", "\(options.fields)")
        let put = try await harness.send("PUT", "/dav/Fund1/a", fields: fields, body: [1])
        #expect(put.status == 403 && put.text == "this app password only reads funds and what is in them\n")
        try await harness.stop()
    }
}

extension String {
    /// The credentials with the name of another user.
    fileprivate func replacingUser(_ name: String) -> String {
        let decoded = String(decoding: Data(base64Encoded: String(dropFirst("Basic ".count))) ?? Data(), as: UTF8.self)
        return DAVHarness.basic(name, String(decoded.split(separator: ":").last ?? ""))
    }
}
