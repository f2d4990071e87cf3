import Foundation
import Testing

@testable import FundClient

/// Times beyond what 64 bits hold in nanoseconds, before 1970, and none at all.
@Suite struct FarTimesTests {
    @Test(
        arguments: [
            (0, 0, 0), (1, 5, 1_000_000_005), (-1, 500_000_000, -500_000_000),
            (9_223_372_036, 854_775_807, .max), (9_223_372_036, 854_775_808, .max), (9_223_372_037, 0, .max),
            (.max, 999_999_999, .max), (-9_223_372_037, 0, .min), (.min, 0, .min), (.min, 999_999_999, .min),
        ] as [(Int64, Int64, Int64)])
    func nanosecondsAreClamped(seconds: Int64, nanoseconds: Int64, expected: Int64) {
        #expect(Int64(clampedSeconds: seconds, nanoseconds: nanoseconds) == expected)
    }

    @Test(
        arguments: [
            (0, 0), (-0.5, -1), (1.9, 1), (1e30, .max), (-1e30, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
        ] as [(Double, Int64)])
    func numbersAreClamped(number: Double, expected: Int64) {
        #expect(Int64(clamped: number) == expected)
        let date = Date(timeIntervalSince1970: number)
        #expect(number.isNaN || date.secondsSince1970 == expected)
        #expect(number.isFinite || [.max, .min, 0].contains(date.milliseconds))
    }

    @Test(arguments: [(1_500_000_000, 1), (-1, -1), (-1_000_000_000, -1), (-1_000_000_001, -2), (.min, -9_223_372_037)])
    func aTimeIsOfItsSecond(nanoseconds: Int64, seconds: Int64) {
        #expect(Date(secondOf: nanoseconds).secondsSince1970 == seconds)
    }

    /// A clock of a server that says nonsense is not believed.
    @Test(arguments: [
        "Sun, 06 Nov 9223372036854775807 08:49:37 GMT", "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT",
        "Sun, 99 Nov 1994 08:49:37 GMT",
    ])
    func datesOfOtherWorldsAreNone(_ text: String) { #expect(HTTPDate.read(text) == nil) }

    private func options() -> FolderSync.Options {
        var options = FolderSync.Options()
        (options.settleTime, options.patience) = (.zero, .zero)
        return options
    }

    private func set(_ seconds: Int, _ nanoseconds: Int = 0, of path: String) {
        let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: nanoseconds), count: 2)
        utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
    }

    /// Times of files, folders and links here, and of files there.
    @Test(arguments: [
        (9_223_372_036, 0), (9_223_372_037, 0), (13_569_465_600, 0), (253_402_300_799, 0), (-2_145_916_800, 0),
        (-1, 500_000_000),
    ])
    func syncsWhatHasAnyTime(seconds: Int, nanoseconds: Int) async throws {
        let (server, folder) = (ModelServer(), try ModelFolder())
        let fund = try #require(server.add(.fund, "Fund1", in: nil))
        let there = try #require(server.add(.file, "there", in: fund, Array("there".utf8)))
        server.setModified(Int64(seconds), of: there)
        try folder.makeFolder("Fund1")
        try folder.makeFolder("Fund1/d")
        try folder.write("here", to: "Fund1/d/here")
        try folder.link("Fund1/link")
        for name in ["Fund1/d/here", "Fund1/link", "Fund1/d"] { set(seconds, nanoseconds, of: folder.path(name)) }
        func sync() async throws -> SyncSummary {
            let sync = try FolderSync(folder.root, with: server, scope: "test", user: "ann", options: options())
            defer { sync.close() }
            return try await sync.run()
        }
        #expect(try await sync().isInStep)
        #expect(server.paths == folder.paths.filter { $0.key != "Fund1/link" })
        var status = stat()
        #expect(lstat(folder.path("Fund1/there"), &status) == 0 && status.st_mtim.tv_sec == seconds)
        // Nothing is loaded or sent again, and what changes is noticed.
        #expect(try await sync().counts.isEmpty)
        try folder.write("other bytes", to: "Fund1/d/here")
        set(seconds, nanoseconds, of: folder.path("Fund1/d/here"))
        #expect(try await sync().counts == [.updateThere: 1])
    }
}
