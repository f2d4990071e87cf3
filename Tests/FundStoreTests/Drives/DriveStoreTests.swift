import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Drives in rows: whose they are, and that their secrets are sealed.
struct DriveStoreTests {
    @Test
    func aDriveIsItsOwnersAlone() async throws {
        let harness = try await DriveHarness()
        let (drives, ann, bea, id) = (harness.drives, harness.ann, harness.bea.id, harness.drive.id)
        #expect(harness.drive.host == "cloud.example.com" && harness.drive.problem == nil)
        #expect(try await drives.drives(of: ann) == [harness.drive])
        #expect(try await drives.drives(of: bea).isEmpty)
        await #expect { _ = try await drives.driveAccess(id, of: bea) } throws: { hasCode(.notFound)($0) }
        await #expect { try await drives.removeDrive(id, of: bea) } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await drives.renameDrive(id, to: "B", of: bea) } throws: { hasCode(.notFound)($0) }
        // A name is taken in any spelling, by a drive of the same person alone.
        let new = NewDrive(name: "CLOUD", settings: try DriveHarness.settings())
        await #expect { _ = try await drives.addDrive(new, of: ann) } throws: { hasCode(.alreadyExists)($0) }
        let other = try await drives.addDrive(new, of: bea)
        #expect(try await drives.renameDrive(id, to: "cloud", of: ann).name == "cloud")
        await #expect { _ = try await drives.renameDrive(id, to: "a/b", of: ann) } throws: { hasCode(.invalid)($0) }
        // Versions tell whose drives changed.
        let version = try await drives.changedDrives(after: nil).number
        try await drives.noteProblem(.unreachable, of: other.id)
        try await drives.noteProblem(.unreachable, of: other.id)
        let changed = try await drives.changedDrives(after: version)
        #expect(changed.owners == [bea] && changed.number == version + 1)
        #expect(try await drives.driveVersion(of: bea) == version + 1)
        #expect(try await drives.drive(other.id, of: bea).problem == .unreachable)
        // A transfer cannot use another person's drive or place.
        await #expect { _ = try await harness.pull(of: bea) } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await harness.pull(from: other.id) } throws: { hasCode(.notFound)($0) }
        await #expect { _ = try await harness.pull(of: bea, from: other.id) } throws: { hasCode(.notFound)($0) }
        // Administrators see all, and those that fail.
        #expect(try await drives.allDrives(PageQuery()).items.map(\.owner) == ["ann@example.com", "bea@example.com"])
        #expect(try await drives.failingDrives(atMost: 9).map(\.drive.id) == [other.id])
        #expect(try await drives.removeDrive(other.id, actor: "root").owner == "bea@example.com")
        await #expect { _ = try await drives.removeDrive(other.id, actor: "root") } throws: { hasCode(.notFound)($0) }
        for number in 1..<DriveLimits.maxDrives {
            _ = try await drives.addDrive(
                NewDrive(name: "D\(number)", settings: try DriveHarness.settings()), of: ann)
        }
        await #expect {
            _ = try await drives.addDrive(NewDrive(name: "more", settings: try DriveHarness.settings()), of: ann)
        } throws: { ($0 as? StoreError)?.problem == .tooManyDrives }
        await #expect { try await drives.checkNewDrive(named: "more", of: ann) } throws: {
            ($0 as? StoreError)?.problem == .tooManyDrives
        }
        #expect(try await harness.base.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func secretsAreSealedForTheirRow() async throws {
        let harness = try await DriveHarness()
        let (drives, ann, id) = (harness.drives, harness.ann, harness.drive.id)
        let access = try await drives.driveAccess(id, of: ann)
        #expect(try access.settings == DriveHarness.settings() && access.revision == 1)
        // A token that the store rotated is kept unless the settings changed meanwhile.
        #expect(try await drives.keepToken("{\"a\":\n\n\"canary2\"}", of: id, ifRevision: 1))
        #expect(try await !drives.keepToken("older", of: id, ifRevision: 1))
        let rotated = try await drives.driveAccess(id, of: ann)
        #expect(rotated.settings.token == "{\"a\":\n\n\"canary2\"}" && rotated.revision == 2)
        #expect(try rotated.settings.values == DriveHarness.settings().values)
        let changed = try await drives.changeDrive(id, try DriveHarness.settings(host: "b.example"), of: ann)
        #expect(changed.host == "b.example")
        #expect(try await drives.driveAccess(id, of: ann).revision == 3)
        await #expect {
            _ = try await drives.changeDrive(id, try DriveSettings(.dropbox, [:]), of: ann)
        } throws: { hasCode(.invalid)($0) }
        // No row says a secret.
        let connection = harness.base.store.connection
        let rows = try connection.read("look") { db in
            try db.values("SELECT hex(settings) FROM drive") as [String]
                + (db.values("SELECT actor || action || subject || detail FROM audit") as [String])
        }
        let canary = Array("canary".utf8).map { String($0, radix: 16, uppercase: true) }.joined()
        #expect(rows.count > 3 && !rows.contains { $0.contains("canary") || $0.contains(canary) })
        // Settings that are moved to another row do not open there, nor do those of another key.
        let bea = try await drives.addDrive(
            NewDrive(name: "B", settings: try DriveHarness.settings()), of: harness.bea.id)
        try connection.write("move") { db in
            try db.execute(
                "UPDATE drive SET settings = (SELECT settings FROM drive WHERE id = ?) WHERE id = ?", [id, bea.id])
        }
        await #expect { _ = try await drives.driveAccess(bea.id, of: harness.bea.id) } throws: {
            ($0 as? DriveError)?.problem == .login
        }
        try connection.write("move") { db in
            try db.execute("UPDATE drive SET user_id = ? WHERE id = ?", [harness.bea.id, id])
        }
        await #expect { _ = try await drives.driveAccess(id, of: harness.bea.id) } throws: {
            ($0 as? DriveError)?.problem == .login
        }
    }

    /// Each kind's settings come back as they were.
    @Test(arguments: DriveKind.allCases)
    func settingsOfEveryKindComeBack(kind: DriveKind) throws {
        let values = kind.fields.map { field in
            switch field.form {
            case .address: (field.name, "https://a.example:8443/x?y")
            case .choice(let choices): (field.name, choices[0])
            case .text, .secret: (field.name, " ä\u{2028}=\\ \"")
            }
        }
        let settings = try DriveSettings(
            kind, Dictionary(uniqueKeysWithValues: values), token: kind.usesOAuth ? "{}" : nil)
        #expect(!settings.host.isEmpty)
        let seal = DriveSeal(serverKey: Array(repeating: 7, count: 32))
        let sealed = try seal.seal(settings, of: 1, 2)
        #expect(try seal.open(sealed, of: 1, 2) == settings)
        #expect(throws: DriveError.self) { try seal.open(sealed, of: 2, 1) }
    }
}
