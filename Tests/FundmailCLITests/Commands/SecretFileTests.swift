import MailConnection
import Foundation
import MailFetch
import MailWatch
import TestSupport
import Testing

@testable import FundmailCLI

/// Files with secrets: the warnings of `doctor`, and the secret that is read.
@Suite struct SecretFileTests {
    private static let cases: [(bytes: String, mode: Int16, words: [String], secret: String)] = [
        ("sesame", 0o600, [], "sesame"), ("sesame\n", 0o400, [], "sesame"), ("sesame\r\n", 0o640, [], "sesame"),
        ("open sesame\n", 0o600, [], "open sesame"),
        ("sesame\n", 0o644, ["can be read by everybody on this machine (mode 0644); chmod 600 "], "sesame"),
        ("sesame\n", 0o660, ["can be changed by others (mode 0660); chmod 640 "], "sesame"),
        ("sesame \n", 0o600, ["ends in a blank"], "sesame "), ("sesame\t", 0o600, ["ends in a blank"], "sesame\t"),
        ("sesame\n\n", 0o600, ["ends in more than one line end"], "sesame\n"),
        ("\u{FEFF}sesame\n", 0o600, ["begins with a byte order mark"], "\u{FEFF}sesame"),
        ("\u{FEFF}sesame \n", 0o666, ["(mode 0666)", "byte order mark", "a blank"], "\u{FEFF}sesame "),
    ]

    @Test(arguments: cases)
    func tellsWhatIsLeftInAFile(_ row: (bytes: String, mode: Int16, words: [String], secret: String)) throws {
        let path = FileManager.default.temporaryDirectory.path + "/fundmail-secret-\(UUID())"
        try TestFile.write(row.bytes, to: path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.setAttributes([.posixPermissions: NSNumber(value: row.mode)], ofItemAtPath: path)
        let problems = SecretFileCheck.problems(with: path, key: "password_file")
        #expect(problems.count == row.words.count, "\(problems)")
        for (problem, words) in zip(problems, row.words) { #expect(problem.contains(words), "\(problem)") }
        // The warnings are true: one line end goes, and nothing else.
        let credentials = try CredentialSource.passwordFile(path).credentials(Cancellation())
        guard case .password(let secret) = credentials else {
            Issue.record("no password")
            return
        }
        #expect(secret.unicodeScalars.elementsEqual(row.secret.unicodeScalars))
    }

    @Test(.startsPrograms) func doctorWarns() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        let secret = store.folder + "/secret"
        try TestFile.write("sesame \n", to: secret)
        try FileManager.default.setAttributes([.posixPermissions: NSNumber(value: 0o644)], ofItemAtPath: secret)
        var file = try MailboxSettings("file", url: "imaps://u@localhost:9")
        file.login = "password_file: secret"
        try store.configure(file, try MailboxSettings("inline", url: "imaps://u@localhost:9"))
        try FileManager.default.setAttributes(
            [.posixPermissions: NSNumber(value: 0o644)], ofItemAtPath: store.configuration)
        let done = try await store.run("doctor", "--offline")
        #expect(done.isSuccess, "\(done)")
        for words in [
            "password_file \(secret) can be read by everybody", "ends in a blank",
            "fundmail.yaml can be read by everybody",
        ] {
            #expect(done.output.contains(words), "\(words): \(done.output)")
        }
        #expect(!done.output.contains("sesame"))
    }
}
