import Foundation
import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Drives by the web API.
struct DriveAPITests {
    private struct Client {
        let harness: ServerHarness
        let token: String

        func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> RawHTTPResponse {
            guard let body else { return try await harness.send(method, "/api/v1" + path, token: token) }
            return try await harness.send(method, "/api/v1" + path, token: token, json: body)
        }

        func object(_ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200) async throws
            -> [String: Any]
        {
            let response = try await send(method, path, body)
            #expect(response.status == status, "\(method) \(path): \(response.text.prefix(400))")
            return try #require(try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any])
        }

        func names(_ path: String) async throws -> [String] {
            let list = try #require(try await object("GET", path)["entries"] as? [[String: Any]])
            return list.compactMap { $0["name"] as? String }
        }

        func addDrive() async throws -> Int {
            let body = #"{"name":"Cloud","kind":"b2","settings":{"bucket":"b","account":"a","key":"right"}}"#
            return try #require(try await object("POST", "/drives", body, 201)["id"] as? Int)
        }
    }

    private static func withServer(
        _ drives: SampleDrives, _ body: (Client, ServerHarness) async throws -> Void
    ) async throws {
        var options = ServerHarness.Options()
        options.drives = drives
        let harness = try await ServerHarness(options)
        try await body(Client(harness: harness, token: try await harness.token(of: harness.people.ann)), harness)
        try await harness.stop()
    }

    /// Secrets go in and never out, and a drive whose store refuses them is not kept.
    @Test func triesDrivesBeforeItKeepsThem() async throws {
        try await Self.withServer(SampleDrives([:])) { client, harness in
            let kinds = try #require(try await client.object("GET", "/drives/kinds")["kinds"] as? [[String: Any]])
            #expect(kinds.compactMap { $0["kind"] as? String } == ["webdav", "b2"])
            func refused(_ kind: String, _ settings: String, _ status: Int, _ problem: String) async throws {
                let body = #"{"name":"Cloud","kind":"\#(kind)","settings":{\#(settings)}}"#
                let answer = try await client.object("POST", "/drives", body, status)
                #expect(answer["type"] as? String == "urn:fundmail:problem:\(problem)", "\(settings)")
            }
            try await refused("b2", #""bucket":"b","account":"a","key":"wrong""#, 422, "drive-login")
            try await refused("b2", #""bucket":"b","account":"a""#, 400, "drive-settings")
            try await refused("b2", #""bucket":"b","account":"a","key":"right","type":"local""#, 400, "drive-settings")
            try await refused("local", "", 400, "drive-settings")
            try await refused("koofr", #""user":"u","password":"right""#, 403, "drive-forbidden")
            #expect((try await client.object("GET", "/drives")["drives"] as? [Any])?.isEmpty == true)
            let id = try await client.addDrive()
            let list = try await client.send("GET", "/drives").text
            #expect(list.contains("Cloud") && !list.contains("right"))
            let bea = try await harness.token(of: harness.people.bea)
            #expect(try await harness.send("GET", "/api/v1/drives/\(id)/entries", token: bea).status == 404)
            #expect(try await client.object("PATCH", "/drives/\(id)", #"{"name":"New"}"#)["name"] as? String == "New")
            #expect(try await client.send("DELETE", "/drives/\(id)").status == 204)
            #expect(try await client.send("GET", "/drives/\(id)").status == 404)
        }
    }

    /// A folder is listed once for all its pages, and anew after a change.
    @Test func listsReadsAndChanges() async throws {
        let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let drives = SampleDrives(["Reports": .none, "Reports/q3.pdf": bytes, "b.txt": [1, 2], "a.txt": [1]])
        try await Self.withServer(drives) { client, _ in
            let path = "/drives/\(try await client.addDrive())"
            let first = try await client.object("GET", "\(path)/entries?limit=2&sort=-size")
            let next = try #require(first["next"] as? String)
            #expect(first["total"] as? Int == 3)
            #expect(try await client.names("\(path)/entries?limit=2&sort=-size&cursor=\(next)") == ["a.txt"])
            #expect(try await client.send("GET", "\(path)/entries?sort=name&cursor=\(next)").status == 400)
            #expect(drives.listings.withLock { $0.count } == 1)
            #expect(try await client.names("\(path)/search?q=Q3") == ["q3.pdf"])
            let content = try await client.send("GET", "\(path)/content?path=Reports/q3.pdf")
            #expect(content.status == 200 && Array(content.body) == bytes)
            #expect(content["content-disposition"] == "attachment; filename=\"q3.pdf\"")
            #expect(try await client.send("GET", "\(path)/content?path=Reports").status == 400)
            #expect(try await client.send("GET", "\(path)/entry?path=../etc").status == 400)
            #expect(try await client.send("POST", "\(path)/folders", #"{"path":"New"}"#).status == 204)
            #expect(try await client.names("\(path)/entries") == ["New", "Reports", "a.txt", "b.txt"])
            let move = #"{"path":"a.txt","to":"b.txt"}"#
            #expect(try await client.send("POST", "\(path)/move", move).status == 409)
            #expect(
                try await client.send("POST", "\(path)/move", #"{"path":"New","to":"New/In"}"#).status == 400)
            #expect(try await client.send("POST", "\(path)/delete", #"{"path":""}"#).status == 400)
            #expect(try await client.send("POST", "\(path)/delete", #"{"path":"Reports"}"#).status == 204)
            #expect(try await client.names("\(path)/search?q=q3").isEmpty)
            #expect(try await client.object("GET", "\(path)/space")["free"] as? Int == 1_500_000)
            for (problem, status) in [(DriveProblem.unreachable, 502), (.tooSlow, 504), (.busy, 503), (.full, 507)] {
                drives.failure.withLock { $0 = problem }
                let answer = try await client.object("GET", "\(path)/entries?fresh=true", nil, status)
                #expect(answer["code"] as? String == problem.rawValue)
            }
        }
    }

    @Test func watchesFolders() async throws {
        let drives = SampleDrives(["In": .none, "In/a.txt": [1]])
        try await Self.withServer(drives) { client, harness in
            let (drive, fund) = (try await client.addDrive(), harness.people.fund.id)
            let path = "/drives/\(drive)/watches"
            let body = #"{"path":"In","fund":\#(fund),"disposition":"move","minutes":1}"#
            let added = try await client.object("POST", path, body, 201)
            let id = try #require(added["id"] as? Int)
            #expect(added["state"] as? String == "on" && added["subfolder"] as? String == "Filed")
            for (wrong, problem) in [
                (body, "invalid"), (#"{"path":"","fund":\#(fund),"minutes":0}"#, "invalid"),
                (#"{"path":"","fund":\#(fund),"disposition":"remove"}"#, "invalid"),
                (#"{"path":"../x","fund":\#(fund)}"#, "drive-name"),
            ] {
                let answer = try await client.object("POST", path, wrong, 400)
                #expect(answer["type"] as? String == "urn:fundmail:problem:\(problem)", "\(wrong)")
            }
            #expect(try await client.send("POST", path, #"{"fund":99999}"#).status == 404)
            #expect(try await client.send("PATCH", "\(path)/\(id)", #"{"folder":1}"#).status == 400)
            let paused = try await client.object("PATCH", "\(path)/\(id)", #"{"is_on":false,"minutes":9}"#)
            #expect(paused["state"] as? String == "paused" && paused["minutes"] as? Int == 9)
            #expect((try await client.object("GET", path)["watches"] as? [Any])?.count == 1)
            #expect((try await client.object("GET", "\(path)/\(id)/refused")["files"] as? [Any])?.isEmpty == true)
            let bea = try await harness.token(of: harness.people.bea)
            for method in ["GET", "DELETE"] {
                #expect(try await harness.send(method, "/api/v1\(path)/\(id)", token: bea).status == 404)
            }
            // A folder that the store does not list is not watched.
            drives.failure.withLock { $0 = .notFound }
            #expect(try await client.send("POST", path, #"{"path":"None","fund":\#(fund)}"#).status == 404)
            drives.failure.withLock { $0 = nil }
            #expect(try await client.send("DELETE", "\(path)/\(id)").status == 204)
            #expect(try await client.send("GET", "\(path)/\(id)").status == 404)
        }
    }

    @Test func beginsAndEndsTransfers() async throws {
        try await Self.withServer(SampleDrives(["a.txt": [1]])) { client, harness in
            let (drive, fund) = (try await client.addDrive(), harness.people.fund.id)
            let body = #"{"drive":\#(drive),"paths":["a.txt"],"fund":\#(fund)}"#
            let begun = try await client.object("POST", "/transfers", body, 201)
            let id = try #require(begun["id"] as? Int)
            #expect(begun["state"] as? String == "queued" && begun["direction"] as? String == "pull")
            for wrong in [
                #"{"drive":\#(drive)}"#, #"{"drive":\#(drive),"paths":[],"fund":\#(fund)}"#,
                #"{"drive":\#(drive),"paths":["../x"],"fund":\#(fund)}"#,
                #"{"drive":\#(drive),"items":[{"type":"note","id":1}],"path":""}"#,
                #"{"drive":\#(drive),"paths":["a.txt"],"fund":\#(fund),"path":"x"}"#,
            ] { #expect(try await client.send("POST", "/transfers", wrong).status == 400, "\(wrong)") }
            #expect(try await client.send("POST", "/transfers/\(id)/retry").status == 409)
            let ended = try await client.object("POST", "/transfers/\(id)/cancel")
            #expect(ended["state"] as? String == "cancelled")
            #expect(try await client.object("POST", "/transfers/\(id)/retry")["state"] as? String == "queued")
            let bea = try await harness.token(of: harness.people.bea)
            #expect(try await harness.send("GET", "/api/v1/transfers/\(id)", token: bea).status == 404)
            #expect((try await client.object("GET", "/transfers")["transfers"] as? [Any])?.count == 1)
        }
    }
}
