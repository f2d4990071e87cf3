import FundStore
import FundCore
import Testing
import TestSupport

@testable import FundServer

struct DAVTransferTests {
    /// A path that was followed a moment ago is looked up again, under the name that its file has now and for its owner
    /// alone.
    @Test func repeatedDownloadsGiveWhatIsThereNow() async throws {
        let harness = try await DAVHarness()
        let (other, password) = try await DAVHarness.addUser("other@example.com", to: harness.store)
        let asOther = ["Authorization": DAVHarness.basic(other.email, password)]
        func text(_ path: String) async throws -> String? {
            let response = try await harness.send("GET", path)
            return response.status == 200 ? response.text : nil
        }
        #expect(try await harness.status("PUT", "Fund1/a", [:], "one") == 201)
        for _ in 0..<3 { #expect(try await text("Fund1/a") == "one") }
        #expect(try await harness.status("GET", "Fund1/a", asOther) == 404)
        #expect(try await harness.status("PUT", "Fund1/a", [:], "two") == 204)
        for _ in 0..<2 { #expect(try await text("Fund1/a") == "two") }
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/b") == 201)
        #expect(try await text("Fund1/a") == nil)
        for _ in 0..<2 { #expect(try await text("Fund1/b") == "two") }
        #expect(try await harness.status("PUT", "Fund1/a", [:], "three") == 201)
        for _ in 0..<2 { #expect(try await text("Fund1/a") == "three") }
        #expect(try await text("Fund1/b") == "two")
        #expect(try await harness.status("DELETE", "Fund1/b") == 204)
        #expect(try await text("Fund1/b") == nil)
        #expect(try await harness.status("MKCOL", "Fund1/b") == 201)
        #expect(try await harness.send("GET", "Fund1/b")["content-type"] == "text/html; charset=utf-8")
        try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "test")
        #expect(try await harness.status("GET", "Fund1/a") == 401)
        try await harness.server.stop()
    }

    /// Each on a fresh `Fund1` that holds `a` (a file), `b` (a file), `box/` with `in`, and beside it `Fund2`.
    private static let cases:
        [(method: String, path: String, destination: String, fields: [String: String], status: Int)] = [
            ("COPY", "Fund1/a", "Fund1/c", [:], 201), ("COPY", "Fund1/a", "Fund1/b", [:], 204),
            ("COPY", "Fund1/a", "Fund1/b", ["Overwrite": "F"], 412),
            ("COPY", "Fund1/a", "Fund1/b", ["Overwrite": "x"], 400),
            ("COPY", "Fund1/a", "Fund1/a", [:], 403), ("COPY", "Fund1/a", "fund1/A", [:], 403),
            ("MOVE", "Fund1/a", "Fund1/a", [:], 403), ("MOVE", "Fund1/a", "Fund1/A", [:], 201),
            ("MOVE", "Fund1/a", "Fund1/A", ["Overwrite": "F"], 201), ("MOVE", "Fund1/a", "Fund2/a", [:], 201),
            ("MOVE", "Fund1/a", "Fund1/b", [:], 204), ("MOVE", "Fund1/a", "Fund1/b", ["Overwrite": "F"], 412),
            ("MOVE", "Fund1/a", "Fund1/box/a", [:], 201), ("MOVE", "Fund1/a", "Fund1/no/a", [:], 409),
            ("MOVE", "Fund1/a", "Fund1/b/a", [:], 409), ("MOVE", "Fund1/a", "a", [:], 403),
            ("COPY", "Fund1/a", "a", [:], 403),
            ("MOVE", "Fund1/a", "", [:], 403), ("MOVE", "", "Fund3", [:], 403),
            ("MOVE", "Fund1/no", "Fund1/c", [:], 404),
            ("MOVE", "Fund1/box/", "Fund1/box/box/", [:], 403), ("COPY", "Fund1/box/", "Fund1/box/box/", [:], 403),
            ("COPY", "Fund1/box/", "Fund1/box/new", ["Depth": "0"], 201),
            ("COPY", "Fund1/box/", "Fund1/new/", [:], 201),
            ("COPY", "Fund1/box/", "Fund1/new", ["Depth": "1"], 400),
            ("MOVE", "Fund1/box/", "Fund1/new", ["Depth": "0"], 400),
            ("MOVE", "Fund1/box/in", "Fund1/box", [:], 403), ("MOVE", "Fund1/a", "Fund1/box", [:], 204),
            ("MOVE", "Fund1/box/", "Fund1/a", [:], 204), ("COPY", "Fund1/box/", "Fund1/a", [:], 204),
            ("MOVE", "Fund1/", "Fund3", [:], 201), ("MOVE", "Fund1/", "FUND1", [:], 201),
            ("MOVE", "Fund1/", "Fund2", [:], 403),
            ("MOVE", "Fund1/", "Fund2", ["Overwrite": "F"], 412), ("MOVE", "Fund1/", "Fund2/x", [:], 403),
            ("MOVE", "Fund1/box/", "box", [:], 403), ("COPY", "Fund1/", "Fund3", [:], 201),
            ("MOVE", "Fund1/a", "Fund1/%5C", [:], 400),
            ("MOVE", "Fund1/a", "../Fund1/c", [:], 400), ("MOVE", "Fund1/a", "Fund1/%2e%2e/c", [:], 400),
            ("MOVE", "Fund1/a", "Fund1/c%00", [:], 400), ("MOVE", "Fund1/a", "Fund1/%252e%252e", [:], 201),
            ("MOVE", "Fund1/a", "?", ["Destination": "http://elsewhere/dav/Fund1/c"], 502),
            ("MOVE", "Fund1/a", "?", ["Destination": "http://127.0.0.1:1/dav/Fund1/c"], 502),
            ("MOVE", "Fund1/a", "?", ["Destination": "/etc/passwd"], 403),
            ("MOVE", "Fund1/a", "?", ["Destination": ""], 400),
        ]

    @Test func copiesAndMoves() async throws {
        let harness = try await DAVHarness()
        try await Self.fill(harness)
        for example in Self.cases {
            var fields = ["Destination": "\(harness.url)\(example.destination)"]
            fields.merge(example.fields) { $1 }
            let status = try await harness.status(example.method, example.path, fields)
            #expect(status == example.status, "\(example)")
            if status < 300 {
                let isThere = try await harness.status("PROPFIND", example.destination, ["Depth": "0"]) == 207
                #expect(isThere, "\(example)")
                try await harness.reset()
                try await Self.fill(harness)
            } else {
                #expect(try await Self.tree(harness) == Self.filled, "\(example)")
            }
        }
        #expect(try await harness.status("COPY", "Fund1/a") == 400)
        #expect(try await harness.status("MOVE", "Fund1/") == 400)
        try await harness.server.stop()
    }

    private static let filled = [
        "/dav/Fund1/", "/dav/Fund2/", "/dav/Fund1/box/", "/dav/Fund1/a", "/dav/Fund1/b", "/dav/Fund1/box/in",
    ]

    private static func tree(_ harness: DAVHarness) async throws -> [String] {
        try await harness.ls("") + harness.ls("Fund1/") + harness.ls("Fund1/box/")
    }

    private static func fill(_ harness: DAVHarness) async throws {
        for (method, path) in [
            ("MKCOL", "Fund2/"), ("MKCOL", "Fund1/box/"), ("PUT", "Fund1/a"), ("PUT", "Fund1/b"),
            ("PUT", "Fund1/box/in"),
        ] {
            #expect(try await harness.status(method, path, [:], method == "PUT" ? path : "") == 201)
        }
        #expect(try await tree(harness) == filled)
    }

    @Test func whatIsCopiedIsWhole() async throws {
        let harness = try await DAVHarness()
        try await Self.fill(harness)
        #expect(try await harness.transfer("COPY", "Fund1/", to: "Fund3/") == 201)
        #expect(try await harness.ls("Fund3/") == ["/dav/Fund3/box/", "/dav/Fund3/a", "/dav/Fund3/b"])
        #expect(try await harness.send("GET", "Fund3/box/in").text == "Fund1/box/in")
        #expect(try await harness.transfer("COPY", "Fund1/box/", to: "Fund1/flat/", ["Depth": "0"]) == 201)
        #expect(try await harness.ls("Fund1/flat/").isEmpty)
        // A file that was replaced can be had back.
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/box") == 204)
        #expect(try await harness.send("GET", "Fund1/box").text == "Fund1/a")
        #expect(try await harness.store.library.deletedItems(of: harness.ann.id).map(\.name) == ["box"])
        try await harness.server.stop()
    }
}
