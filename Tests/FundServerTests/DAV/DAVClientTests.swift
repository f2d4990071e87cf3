import FundCore
import FundStore
import Foundation
import Testing
import TestSupport

@testable import FundServer

/// Real clients judge.
@Suite(.startsPrograms) struct DAVClientTests {
    private static func isInstalled(_ program: String) -> Bool {
        let path = "/usr/bin/" + program
        guard access(path, X_OK) != 0, ProcessInfo.processInfo.environment["CI"] != "true" else { return true }
        print("*** SKIPPED: the tests with \(program), which is not installed. Run scripts/setup test.")
        return false
    }

    /// Debian's litmus 0.13, all of it, below a fund and at the top.
    @Test(.enabled(if: isInstalled("litmus")), arguments: ["Fund1/", ""])
    func litmus(_ place: String) async throws {
        let harness = try await DAVHarness()
        let (url, folder) = (harness.url + place, harness.server.folder)
        let output = try await DAVHarness.off {
            try ToolRun.output([
                "sh", "-c", "cd \"$0\" && exec litmus -k \"$@\" 2>&1", folder, url, "dav@example.com", harness.password,
            ])
        }
        let lines = output.split { $0.isNewline }
        for (suite, count) in [("basic", 16), ("copymove", 13), ("props", 30), ("locks", 41), ("http", 4)] {
            let summary = lines.first { $0.hasPrefix("<- summary for `\(suite)'") }
            #expect(summary == "<- summary for `\(suite)': of \(count) tests run: \(count) passed, 0 failed. 100.0%")
        }
        for word in ["FAIL", "WARNING", "SKIPPED"] { #expect(!output.contains(word)) }
        try await harness.server.stop()
    }

    @Test(.enabled(if: isInstalled("rclone")))
    func rclone() async throws {
        let harness = try await DAVHarness()
        let local = harness.server.folder + "/local"
        let other = harness.server.folder + "/other"
        let files = FileManager.default
        try files.createDirectory(atPath: local + "/sub dir/文件", withIntermediateDirectories: true)
        for name in ["a.bin", "empty", "sub dir/50% #1?.txt", "sub dir/文件/é \"q\" & <x> %41.txt"] {
            let bytes = name == "empty" ? [] : patternBytes(Int.random(in: 1...400_000))
            try Data(bytes).write(to: URL(fileURLWithPath: local + "/" + name))
        }
        let run: @Sendable ([String]) throws -> String = { arguments in
            let secret = try ToolRun.output(["rclone", "obscure", harness.password]).filter { !$0.isNewline }
            return try ToolRun.output(
                [
                    "rclone", "--config", "/dev/null", "--webdav-url", harness.url, "--webdav-user", "dav@example.com",
                    "--webdav-pass", secret,
                ] + arguments)
        }
        let listing = try await DAVHarness.off {
            _ = try run(["copy", local, ":webdav:Fund1/there"])
            _ = try run(["check", "--download", local, ":webdav:Fund1/there"])
            try files.removeItem(atPath: local + "/a.bin")
            try Data("new".utf8).write(to: URL(fileURLWithPath: local + "/empty"))
            _ = try run(["sync", local, ":webdav:Fund1/there"])
            _ = try run(["check", "--download", local, ":webdav:Fund1/there"])
            _ = try run(["moveto", ":webdav:Fund1/there", ":webdav:Fund1/moved"])
            _ = try run(["copyto", ":webdav:Fund1/moved/empty", ":webdav:Fund1/moved/copy"])
            _ = try run(["deletefile", ":webdav:Fund1/moved/empty"])
            _ = try run(["sync", ":webdav:Fund1/moved", other])
            _ = try run(["mkdir", ":webdav:Fund2"])
            return try run(["lsf", "-R", "--files-only", ":webdav:"])
        }
        #expect(
            Set(listing.split(separator: "\n").map(String.init)) == [
                "Fund1/moved/copy", "Fund1/moved/sub dir/50% #1?.txt",
                "Fund1/moved/sub dir/文件/é \"q\" & <x> %41.txt",
            ])
        let there = try Data(contentsOf: URL(fileURLWithPath: other + "/sub dir/50% #1?.txt"))
        let here = try Data(contentsOf: URL(fileURLWithPath: local + "/sub dir/50% #1?.txt"))
        #expect(there == here)
        #expect(try await harness.store.library.funds(of: harness.ann.id).map(\.name).sorted() == ["Fund1", "Fund2"])
        try await harness.server.stop()
    }

    /// With `vendor = owncloud` it compares hashes and times, of mail and of uploads.
    @Test(.enabled(if: isInstalled("rclone")))
    func rcloneComparesHashes() async throws {
        let harness = try await ServerHarness()
        let people = harness.people
        let (user, url) = (people.ann.email, harness.baseURL + "/dav/")
        let password = try await harness.appPassword(of: people.ann).characters
        let local = harness.folder + "/local"
        try FileManager.default.createDirectory(atPath: local, withIntermediateDirectories: true)
        for part in people.parts { try Data(part.bytes).write(to: URL(fileURLWithPath: local + "/" + part.name)) }
        let run: @Sendable ([String]) throws -> String = { arguments in
            let secret = try ToolRun.output(["rclone", "obscure", password]).filter { !$0.isNewline }
            return try ToolRun.output(
                [
                    "rclone", "--config", "/dev/null", "--webdav-url", url, "--webdav-user", user, "--webdav-pass",
                    secret,
                    "--webdav-vendor", "owncloud",
                ] + arguments)
        }
        try await DAVHarness.off {
            // A file that came by mail.
            let sums = try run(["check", "--combined", "-", "-v", local, ":webdav:Fund1"])
            #expect(sums.split(separator: "\n").count { $0.hasPrefix("= ") } == people.parts.count, "\(sums)")
            for kind in ["MD5", "SHA1"] {
                let sums = try [":webdav:Fund1", local].map {
                    try run(["hashsum", kind, $0]).split { $0.isNewline }.sorted()
                }
                #expect(sums[0] == sums[1])
            }
            // A file that was uploaded, with its time.
            let file = local + "/new"
            try Data("one".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file)
            _ = try run(["copy", local, ":webdav:Fund1"])
            #expect(try run(["lsl", ":webdav:Fund1/new"]).contains("2001-09-09 "))
            _ = try run(["check", local, ":webdav:Fund1"])
            // Other bytes, with size and time unchanged.
            try Data("two".utf8).write(to: URL(fileURLWithPath: file))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: file)
            #expect(throws: (any Error).self) { try run(["check", local, ":webdav:Fund1"]) }
            _ = try run(["copy", "--checksum", local, ":webdav:Fund1"])
            _ = try run(["check", local, ":webdav:Fund1"])
            // Only the time differs: later versions of rclone send only that.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_200_000_000)], ofItemAtPath: file)
            _ = try run(["copy", local, ":webdav:Fund1"])
            #expect(try run(["lsl", ":webdav:Fund1/new"]).contains("2008-01-10 "))
        }
        try await harness.stop()
    }
}
