import Foundation
import TestSupport
import Testing

/// `--trace` shows what is said to real servers, and no secret in any form.
@Suite(.startsPrograms, .enabled(if: DovecotServer.isUsable))
struct TraceTests {
    private static let password = DovecotServer.password

    @Test(arguments: ["plain", "login", "cram-md5", "oauthbearer", "xoauth2"])
    func holdsNoSecretAndNoMail(_ mechanism: String) async throws {
        var options = DovecotServer.Options()
        options.mechanisms = mechanism
        let server = try DovecotServer(options)
        defer { server.stop() }
        let store = try await ReplayStore()
        defer { store.remove() }
        let isToken = mechanism.contains("auth")
        let token = BearerToken.make(user: "ann")
        var all: [MailboxSettings] = []
        for scheme in MailboxSettings.Scheme.allCases {
            var settings = try MailboxSettings("box-\(scheme.rawValue)", scheme, at: server, user: "ann")
            if isToken { settings.login = "oauth2: {token_env: TOKEN}" }
            // All four read one mailbox at a time: none may take the message from the others.
            settings.after = "keep"
            all.append(settings)
        }
        try store.configure(all)
        try server.deliver(
            Array("From: ann@example.com\r\nSubject: [Fund1] x\r\n\r\nprivate words\r\n".utf8), to: "ann")
        let path = "\(store.folder)/trace"
        try TestFile.write("before\n", to: path)
        chmod(path, 0o644)
        let done = try await store.with(["TOKEN": token]).run("poll", "--trace", "trace", "--log-level", "trace")
        #expect(done.isSuccess, "\(done)")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let text = try String(decoding: TestFile.read(path), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.first == "before", "it is appended to")
        for settings in all {
            let mine = lines.filter { $0.contains(" \(settings.name) ") }
            #expect(mine.contains { $0.contains(" C: ") } && mine.contains { $0.contains(" S: ") }, "\(settings.name)")
        }
        let isTimed = lines.dropFirst().allSatisfy {
            $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z box-.*/) != nil
        }
        #expect(isTimed, "\(text)")
        #expect(!text.contains("private words"))
        let said = done.output + done.errors + text
        for secret in [Self.password, token, "\0ann\0\(Self.password)"] {
            #expect(!said.contains(secret))
            let encoded = Data(secret.utf8).base64EncodedString().filter { $0 != "=" }
            #expect(!said.contains(encoded.dropLast(2)), "\(mechanism): \(encoded)")
        }
        // Nothing that is long enough to hide one.
        let words = text.split { !$0.isLetter && !$0.isNumber && !"+/=".contains($0) }
        let decoded = words.compactMap { Data(base64Encoded: String($0)) }.map { String(decoding: $0, as: UTF8.self) }
        #expect(!decoded.contains { $0.contains(Self.password) || $0.contains("auth=") })
    }

    @Test func cannotBeWritten() async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try store.configure(MailboxSettings("funds", at: DovecotServer.shared.get(), user: "trace-nowhere"))
        let done = try await store.run("poll", "--trace", "/nowhere/trace")
        #expect(done.status == 64 && done.errors.contains("/nowhere/trace"), "\(done)")
    }
}
