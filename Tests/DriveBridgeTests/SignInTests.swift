import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import DriveBridge

/// Stores that people sign in to on the stores' own pages, by the real rclone.
@Suite(.startsPrograms) struct SignInTests {
    private static func path(_ names: String...) throws -> DrivePath { try #require(DrivePath(names)) }

    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) } }

    /// All that can be done, for each kind that is offered.
    @Test(arguments: DriveKind.allCases.filter(\.usesOAuth))
    func allThatCanBeDone(_ kind: DriveKind) async throws {
        let harness = try await SignInHarness()
        let (id, ann, drives) = (try await harness.signIn(kind), harness.ann, harness.drives)
        #expect(try await harness.names(id).filter { !["Plan.docx", "Twice"].contains($0) } == ["Reports", "big.bin"])
        let quarter = try Self.path("Reports", "q3 404.txt")
        #expect(try await drives.entry(at: quarter, of: id, ann).size == 13)
        // Each would be one more request for each file of a listing.
        #expect(!harness.fake.log.contains { $0.contains("/checksumfile") })
        #expect(try await harness.read(quarter, from: 6, of: id) == Array("quarter".utf8))
        #expect(try await harness.read(try Self.path("big.bin"), from: 1, of: id).count == 65536 * 144 - 1)
        let (folder, file) = (try Self.path("New \u{4E2D}\u{6587}"), try Self.path("New \u{4E2D}\u{6587}", "a'b.txt"))
        try await drives.makeFolder(folder, of: id, ann)
        for count in [5, 0, 9_000_000] {
            try await harness.write(Self.bytes(count), to: file, of: id)
            #expect(try await harness.read(file, of: id) == Self.bytes(count), "\(count)")
            if count < 9_000_000 { try await drives.remove(file, of: id, ann) }
        }
        #expect(try await harness.names(id, in: folder) == ["a'b.txt"])
        let moved = try Self.path("Moved", "b.txt")
        try await drives.makeFolder(try Self.path("Moved"), of: id, ann)
        try await drives.move(file, to: moved, of: id, ann)
        let found = try await drives.find("B.T", below: .top, atMost: 10, of: id, ann).map(\.path)
        #expect(found.filter { $0.names.first != "Twice" } == [moved])
        #expect(
            try await harness.problem { try await drives.move(quarter, to: moved, of: id, ann) } == .alreadyExists)
        #expect(try await harness.problem { _ = try await harness.read(file, of: id) } == .notFound)
        try await drives.remove(moved, of: id, ann)
        try await drives.remove(folder, of: id, ann)
        try await drives.remove(try Self.path("Moved"), of: id, ann)
        #expect(try await harness.names(id).filter { !["Plan.docx", "Twice"].contains($0) } == ["Reports", "big.bin"])
        let space = try await drives.space(of: id, ann)
        #expect(space.total == 10_000_000_000 && space.used ?? 0 > 65536 * 144)
        // One sign-in was enough.
        #expect(harness.fake.count("token") == 1)
        #expect(try await harness.store.drives.drive(id, of: ann).problem == nil)
    }

    /// A store that sends more or less than it announces, asks for a pause, or breaks off.
    @Test(arguments: DriveKind.allCases.filter(\.usesOAuth))
    func storesThatFail(_ kind: DriveKind) async throws {
        let harness = try await SignInHarness()
        let id = try await harness.signIn(kind)
        let (quarter, big) = (try Self.path("Reports", "q3 404.txt"), try Self.path("big.bin"))
        try harness.fake.order(#"{"lie": {"q3 404.txt": 20}, "cut": {"big.bin": 1000}}"#)
        let cut = try await harness.problem { _ = try await harness.read(quarter, of: id) }
        #expect(cut == .changed || cut == .unreachable || cut == .server)
        let broken = try await harness.problem { _ = try await harness.read(big, of: id) }
        #expect(broken == .unreachable)
        try harness.fake.order(#"{"busy": 1000000}"#)
        let paused = try await harness.problem { _ = try await harness.names(id) }
        #expect(paused == .busy)
        #expect(harness.fake.count("token") == 1)
    }

    /// A code is good once, and only with the proof of the one who began.
    @Test func codesAreProved() async throws {
        let harness = try await SignInHarness()
        for kind in [DriveKind.googleDrive, .oneDrive, .dropbox] {
            let other = String(repeating: "canary", count: 8)
            #expect(
                try await harness.problem { _ = try await harness.settings(kind, verifier: other) } == .login,
                "\(kind)")
        }
        let answer = DriveSignInAnswer(code: "canary-code", verifier: "v")
        #expect(try await harness.problem { _ = try await harness.drives.settings(of: .box, answer) } == .login)
        #expect(try await harness.problem { _ = try await harness.drives.settings(of: .pcloud, answer) } == .login)
        try TestFile.write("wrong", to: harness.fake.secretFile)
        #expect(try await harness.problem { _ = try await harness.drives.settings(of: .box, answer) } == .settings)
        var rules = try SignInHarness.rules(harness.fake)
        rules.clients[.box] = nil
        let drives = try SignInHarness.drives(harness.store, harness.fake, rules)
        #expect(!drives.kinds.contains(.box) && drives.kinds.contains(.dropbox))
        #expect(try await harness.problem { _ = try await drives.settings(of: .box, answer) } == .forbidden)
    }

    /// Another account of the same store is known as such, also when tokens have been renewed.
    @Test func accountsAreToldApart() async throws {
        let harness = try await SignInHarness()
        let id = try await harness.signIn(.box)
        try await harness.age(id)
        _ = try await harness.names(id)
        #expect(try await harness.token(of: id).account == "1" && harness.fake.count("token box rotated") == 1)
        for kind in DriveKind.allCases where kind.usesOAuth {
            try harness.fake.order("{}")
            let (one, same) = (try await harness.settings(kind), try await harness.settings(kind))
            try harness.fake.order(#"{"account": 2}"#)
            let other = try await harness.settings(kind)
            #expect(harness.drives.isSameAccount(one, same), "\(kind)")
            #expect(!harness.drives.isSameAccount(one, other), "\(kind)")
        }
    }

    /// Two things of one name are neither mixed nor lost: both are refused.
    @Test func namesThatStandTwice() async throws {
        let harness = try await SignInHarness()
        let (id, ann, drives) = (try await harness.signIn(.googleDrive), harness.ann, harness.drives)
        let (same, other) = (try Self.path("Twice", "same.txt"), try Self.path("Twice", "other.txt"))
        #expect(try await harness.problem { _ = try await harness.read(same, of: id) } == .ambiguous)
        #expect(
            try await harness.names(id, in: try Self.path("Twice"))
                == ["Box", "Box", "other.txt", "same.txt", "same.txt"])
        #expect(try await harness.read(other, of: id) == Array("third".utf8))
        for path in [same, try Self.path("Twice", "Box"), try Self.path("Twice", "Box", "a.txt")] {
            #expect(try await harness.problem { _ = try await drives.entry(at: path, of: id, ann) } == .ambiguous)
            #expect(try await harness.problem { try await drives.remove(path, of: id, ann) } == .ambiguous)
            #expect(try await harness.problem { try await drives.move(other, to: path, of: id, ann) } == .ambiguous)
            #expect(try await harness.problem { try await harness.write([1], to: path, of: id) } == .ambiguous)
        }
        #expect(
            try await harness.problem { _ = try await harness.names(id, in: try Self.path("Twice", "Box")) }
                == .ambiguous)
        #expect(try await harness.store.drives.drive(id, of: ann).problem == nil)
    }

    /// Google's own documents have no size, and come as others can read them.
    @Test func documentsOfGoogle() async throws {
        let harness = try await SignInHarness()
        let (id, plan) = (try await harness.signIn(.googleDrive), try Self.path("Plan.docx"))
        #expect(try await harness.drives.entry(at: plan, of: id, harness.ann).size == nil)
        #expect(try await harness.read(plan, of: id) == Array("exported words".utf8))
        #expect(try await harness.problem { _ = try await harness.read(plan, from: 3, of: id) } == .changed)
    }
}
