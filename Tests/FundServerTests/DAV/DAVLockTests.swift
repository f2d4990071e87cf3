import Foundation
import FundStore
import FundCore
import Testing
import TestSupport

@testable import FundServer

struct DAVLockTests {
    /// Requests that a deep lock on `box/` refuses without its token.
    private static let barred: [(method: String, path: String, fields: [String: String], status: Int)] = [
        ("PUT", "Fund1/box/in", [:], 423), ("PUT", "Fund1/box/new", [:], 423), ("DELETE", "Fund1/box/in", [:], 423),
        ("DELETE", "Fund1/box/", [:], 423), ("MKCOL", "Fund1/box/sub/", [:], 423), ("DELETE", "Fund1/", [:], 207),
        ("MOVE", "Fund1/box/in", ["Destination": "/dav/Fund1/out"], 423),
        ("MOVE", "Fund1/box/", ["Destination": "/dav/Fund1/other"], 423),
        ("MOVE", "Fund1/a", ["Destination": "/dav/Fund1/box/a"], 423),
        ("MOVE", "Fund1/", ["Destination": "/dav/Fund9"], 207),
        ("COPY", "Fund1/a", ["Destination": "/dav/Fund1/box/in"], 423),
        ("COPY", "Fund1/a", ["Destination": "/dav/Fund1/box"], 423),
        ("COPY", "Fund1/box/in", ["Destination": "/dav/Fund1/out"], 201), ("PUT", "Fund1/a", [:], 204),
        ("LOCK", "Fund1/box/in", [:], 423), ("LOCK", "Fund1/box/new", [:], 423), ("LOCK", "Fund1/", [:], 207),
        ("PROPPATCH", "Fund1/box/", [:], 423), ("GET", "Fund1/box/in", [:], 200),
        ("PROPFIND", "Fund1/box/", ["Depth": "1"], 207),
    ]

    @Test func keepsOthersOut() async throws {
        let harness = try await DAVHarness()
        for (method, path, fields, status) in Self.barred {
            try await harness.reset()
            _ = try await harness.send("MKCOL", "Fund1/box/")
            for file in ["Fund1/a", "Fund1/box/in"] { _ = try await harness.send("PUT", file, [:], "x") }
            let token = try await harness.lock("Fund1/box/")
            let body = ["LOCK": DAVHarness.lockBody(), "PUT": "y", "PROPPATCH": Self.patch][method] ?? ""
            let without = try await harness.send(method, path, fields, body)
            #expect(without.status == status, "\(method) \(path)")
            if status == 423 {
                let condition =
                    method == "LOCK" && path != "Fund1/box/new" ? "no-conflicting-lock" : "lock-token-submitted"
                #expect(without.text.contains("<D:\(condition)><D:href>/dav/Fund1/box/</D:href>"), "\(method) \(path)")
                if method != "LOCK" {
                    let tagged = fields.merging(["If": "</dav/Fund1/box/> (\(token))"]) { $1 }
                    #expect(try await harness.status(method, path, tagged, body) < 300, "\(method) \(path)")
                }
            }
            if without.status == 207, method != "PROPFIND" {
                #expect(
                    without.text.contains("<D:href>/dav/Fund1/box/</D:href><D:status>HTTP/1.1 423 Locked</D:status>"))
                #expect(try await harness.ls("Fund1/").count == 2)
            }
        }
        try await harness.server.stop()
    }

    private static let patch =
        "<a:propertyupdate xmlns:a='DAV:'><a:set><a:prop><x/></a:prop></a:set></a:propertyupdate>"

    @Test func takesANameWithAnEmptyFile() async throws {
        let harness = try await DAVHarness()
        let token = try await harness.lock("Fund1/new.txt", depth: "0")
        #expect(try await harness.send("GET", "Fund1/new.txt").status == 200)
        #expect(try await harness.status("PUT", "Fund1/new.txt", [:], "x") == 423)
        #expect(try await harness.status("PUT", "Fund1/new.txt", ["If": "(\(token))"], "x") == 204)
        let bare = String(token.dropFirst().dropLast())
        #expect(try await harness.status("PUT", "Fund1/new.txt", ["If": "(\(bare))"], "x") == 204)
        #expect(try await harness.status("UNLOCK", "Fund1/new.txt", ["Lock-Token": bare]) == 204)
        let again = try await harness.lock("Fund1/new.txt", depth: "0")
        #expect(try await harness.status("UNLOCK", "Fund1/new.txt", ["Lock-Token": again]) == 204)
        #expect(try await harness.status("UNLOCK", "Fund1/new.txt", ["Lock-Token": "x"]) == 400)
        #expect(try await harness.status("UNLOCK", "Fund1/new.txt", ["Lock-Token": token]) == 409)
        #expect(try await harness.status("UNLOCK", "Fund1/new.txt") == 400)
        #expect(try await harness.status("LOCK", "Fund1/no/new", [:], DAVHarness.lockBody()) == 409)
        #expect(try await harness.status("LOCK", "new", [:], DAVHarness.lockBody()) == 403)
        #expect(try await harness.status("LOCK", "Fund1/", ["Depth": "1"], DAVHarness.lockBody()) == 400)
        try await harness.server.stop()
    }

    @Test func sharesAndRefreshes() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        let first = try await harness.lock("Fund1/a", "shared")
        let second = try await harness.lock("Fund1/a", "shared")
        #expect(try await harness.status("LOCK", "Fund1/a", [:], DAVHarness.lockBody()) == 423)
        #expect(try await harness.status("PUT", "Fund1/a", [:], "y") == 423)
        #expect(try await harness.status("PUT", "Fund1/a", ["If": "(\(second))"], "y") == 204)
        let refreshed = try await harness.send("LOCK", "Fund1/a", ["If": "(\(first))", "Timeout": "Second-99"])
        #expect(refreshed.status == 200)
        #expect(refreshed["lock-token"] == nil)
        #expect(refreshed.text.contains("<D:timeout>Second-9"))
        #expect(try await harness.status("LOCK", "Fund1/a") == 400)
        #expect(try await harness.status("LOCK", "Fund1/a", ["If": "(<urn:none>)"]) == 412)
        #expect(try await harness.status("LOCK", "Fund1/a", ["If": "(Not <urn:none>)"]) == 412)
        let found = try await harness.send("PROPFIND", "Fund1/", ["Depth": "1"])
        #expect(found.text.components(separatedBy: "<D:activelock>").count == 3)
        #expect(found.text.contains("mailto:dav@example.com"))
        try await harness.server.stop()
    }

    /// RFC 4918 §7.5 and §9.6: a lock goes with its place, not with what was moved away from it.
    @Test func endsWithItsPlace() async throws {
        let harness = try await DAVHarness()
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        let moved = try await harness.lock("Fund1/a")
        #expect(try await harness.transfer("MOVE", "Fund1/a", to: "Fund1/b", ["If": "(\(moved))"]) == 201)
        #expect(try await harness.status("PUT", "Fund1/b", [:], "y") == 204)
        let deleted = try await harness.lock("Fund1/b")
        #expect(try await harness.status("DELETE", "Fund1/b", ["If": "(\(deleted))"]) == 204)
        #expect(try await harness.status("PUT", "Fund1/b", [:], "z") == 201)
        // Renamed by another interface it is still the file that someone has open.
        let kept = try await harness.lock("Fund1/b")
        let item = try #require(try await harness.store.library.item(at: ["Fund1", "b"], of: harness.ann.id))
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        _ = try await harness.store.library.move(
            item.itemID, to: LibraryPlace(fund: fund.id), named: "c", ifTaken: .refuse, of: harness.ann.id)
        #expect(try await harness.status("PUT", "Fund1/c", [:], "y") == 423)
        #expect(try await harness.status("PUT", "Fund1/c", ["If": "(\(kept))"], "y") == 204)
        try await harness.server.stop()
    }

    /// A program that had a file open when its fund was given away cannot unlock it any more, and the new owner may
    /// not.
    @Test func endsWithTheSightOfItsFund() async throws {
        let harness = try await DAVHarness()
        let (bob, password) = try await DAVHarness.addUser("bob-dav@example.com", to: harness.store)
        let asBob = ["Authorization": DAVHarness.basic(bob.email, password)]
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        _ = try await harness.lock("Fund1/a", "shared")
        let kept = try await harness.lock("Fund1/", "shared")
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        _ = try await harness.store.administration.giveFund(fund.id, to: bob.id, actor: "test")
        let found = try await harness.send("PROPFIND", "Fund1/", asBob.merging(["Depth": "1"]) { $1 })
        #expect(!found.text.contains("<D:activelock>"), "\(found.text)")
        #expect(try await harness.status("PUT", "Fund1/a", asBob, "y") == 204)
        #expect(try await harness.status("PUT", "Fund1/b", asBob, "y") == 201)
        // The former owner's next fund of this name is another one.
        #expect(try await harness.status("MKCOL", "Fund1/") == 201)
        #expect(try await harness.status("PUT", "Fund1/a", ["If": "(\(kept))"], "z") == 412)
        #expect(try await harness.status("LOCK", "Fund1/", asBob, DAVHarness.lockBody()) == 200)
        #expect(try await harness.status("PUT", "Fund1/a", [:], "z") == 201)
        try await harness.server.stop()
    }

    @Test func boundsLocksOfAUser() async throws {
        let harness = try await DAVHarness()
        for number in 0..<LockTable.maxLocksPerUser / LockTable.maxLocksOnResource {
            for _ in 0..<LockTable.maxLocksOnResource {
                _ = try await harness.lock("Fund1/\(number)", "shared", depth: "0")
            }
        }
        _ = try await harness.send("PUT", "Fund1/a", [:], "x")
        #expect(try await harness.status("LOCK", "Fund1/a", [:], DAVHarness.lockBody("shared")) == 507)
        #expect(try await harness.status("LOCK", "Fund1/more", [:], DAVHarness.lockBody()) == 507)
        #expect(try await harness.status("GET", "Fund1/more") == 404)
        try await harness.server.stop()
    }
}
