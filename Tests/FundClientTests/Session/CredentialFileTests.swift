import FundClient
import Foundation
import TestSupport
import Testing

@Suite struct CredentialFileTests {
    private func folder() throws -> String { try TestFile.makeFolder("accounts") }

    private func account(_ number: Int) throws -> Account {
        Account(
            server: try address("https://funds\(number % 3).example.com"), email: "user\(number)@example.com",
            user: UserID(Int64(number)))
    }

    private func credentials(_ number: Int) -> Credentials {
        Credentials(
            web: Credentials.Token("web-\(number)", expiresAt: nil),
            mobile: Credentials.Token("mobile-\(number)", expiresAt: Date(timeIntervalSince1970: 1_800_000_000)))
    }

    @Test func onlyItsOwnerCanReadIt() async throws {
        let folder = try folder() + "/deeper/fund"
        let file = CredentialFile(folder: folder)
        #expect(try file.entries().isEmpty)
        try await file.save(credentials(1), of: try account(1))
        func rights(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try rights(folder) == 0o700 && rights(file.path) == 0o600 && rights(file.path + ".lock") == 0o600)
        #expect(try await file.credentials(of: try account(1)) == credentials(1))
        #expect("\(credentials(1)) \(credentials(1).web)".contains("web-1") == false)
    }

    /// A copy from elsewhere has such rights.
    @Test func whatOthersCouldReadTheyCannotAnyMore() async throws {
        let file = CredentialFile(folder: try folder())
        try await file.save(credentials(1), of: try account(1))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(try file.entries().count == 1)
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
    }

    @Test(.startsPrograms, .enabled(if: SmallDisk.isPossible)) func aFullDiskLeavesNoSecretsBehind() async throws {
        let disk = try SmallDisk(bytes: 256 << 10)
        defer { disk.unmount() }
        let file = CredentialFile(folder: disk.path)
        try await file.save(credentials(1), of: try account(1))
        try disk.fill()
        await #expect(throws: ClientError.self) {
            for number in 2..<200 { try await file.save(credentials(number), of: try account(number)) }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path + ".new"))
        #expect(try await file.credentials(of: try account(1)) == credentials(1))
    }

    /// Each of its own file object, as of several processes.
    @Test func manyWritersLoseNothing() async throws {
        let folder = try folder()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await CredentialFile(folder: folder).save(credentials(number), of: try account(number))
                }
            }
            try await group.waitForAll()
        }
        let file = CredentialFile(folder: folder)
        let entries = try file.entries()
        #expect(Set(entries.map(\.account)).count == 40 && entries.count(where: \.isDefault) == 1)
        for number in 0..<40 { #expect(try await file.credentials(of: try account(number)) == credentials(number)) }
    }

    @Test func anotherBecomesTheDefault() async throws {
        let file = CredentialFile(folder: try folder())
        for number in 0..<3 { try await file.save(credentials(number), of: try account(number)) }
        func defaults() throws -> [Account] { try file.entries().filter(\.isDefault).map(\.account) }
        #expect(try defaults() == [account(0)])
        try file.makeDefault(try account(2))
        #expect(try defaults() == [account(2)])
        try await file.remove(try account(2))
        #expect(try defaults() == [account(0)])
        try file.setAuthorityFile("/ca.pem", of: try account(0))
        try await file.save(credentials(9), of: try account(0))
        #expect(try file.entries().first?.authorityFile == "/ca.pem")
    }

    @Test func aDamagedFileIsNotOverwritten() async throws {
        let file = CredentialFile(folder: try folder())
        try await file.save(credentials(1), of: try account(1))
        try TestFile.write("{", to: file.path)
        #expect(await code { try await file.save(credentials(2), of: try account(2)) } == .local)
        #expect(try TestFile.read(file.path) == Array("{".utf8))
    }
}
