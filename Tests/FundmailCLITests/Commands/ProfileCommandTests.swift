import Foundation
import TestSupport
import Testing

/// `fundmail profile` and `fundmail doctor`, judged by openssl and Python's plistlib.
@Suite(.startsPrograms) struct ProfileCommandTests {
    private static let reader = """
        import json, plistlib, sys
        profile = plistlib.load(open(sys.argv[1], "rb"))
        print(json.dumps([profile["PayloadDescription"], profile["PayloadUUID"],
                          [one["PayloadType"] for one in profile["PayloadContent"]],
                          [one.get("PayloadContent", b"").hex() for one in profile["PayloadContent"]]]))
        """

    private static func withStore(_ lines: String, _ body: (ReplayStore) async throws -> Void) async throws {
        let store = try await ReplayStore()
        defer { store.remove() }
        try TestFile.write("store: ./store\npreviews: off\n\(lines)", to: store.configuration)
        try await body(store)
    }

    private static func read(_ path: String) throws -> [Any] {
        let text = try ToolRun.output(["python3", "-c", reader, path])
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any])
    }

    @Test func aSignedProfileIsReadByOthers() async throws {
        let authority = try TestAuthority.shared.get()
        let lines = """
            server: {public_url: "https://funds.corp.example"}
            profiles:
              certificate: \(authority.certificatePath(.valid))
              key: \(authority.keyPath(.valid))
              authority: \(authority.caFile)
              mail: {imap: imaps://mail.corp.example, smtp: smtp://mail.corp.example}
              organization: 港湾 & Söhne

            """
        try await Self.withStore(lines) { store in
            let done = try await store.run("profile", "ann@example.com", "--to", "ann.mobileconfig", "--language", "zh")
            #expect(done.isSuccess && done.output.contains("web_clip, authority, contacts, mail"), "\(done)")
            #expect(done.errors.isEmpty, "\(done)")
            let signed = store.folder + "/ann.mobileconfig"
            try ToolRun.output([
                "openssl", "cms", "-verify", "-inform", "DER", "-in", signed, "-CAfile", authority.caFile, "-purpose",
                "any", "-out", store.folder + "/plain",
            ])
            let read = try Self.read(store.folder + "/plain")
            #expect((read[0] as? String)?.contains("其中不含密码") == true)
            #expect(
                read[2] as? [String] == [
                    "com.apple.webClip.managed", "com.apple.security.root", "com.apple.carddav.account",
                    "com.apple.mail.managed",
                ])
            let der = try ToolRun.output([
                "bash", "-c", "openssl x509 -in \(authority.caFile) -outform DER | od -An -v -tx1 | tr -d ' \\n'",
            ])
            #expect((read[3] as? [String])?[1] == der)
            // Again, and less of it: the same profile for the device.
            let lesser = try await store.run(
                "profile", "ann@example.com", "--to", "ann.mobileconfig", "--part", "contacts")
            #expect(lesser.isSuccess, "\(lesser)")
            try ToolRun.output([
                "openssl", "cms", "-verify", "-inform", "DER", "-in", signed, "-noverify", "-out",
                store.folder + "/plain",
            ])
            let again = try Self.read(store.folder + "/plain")
            #expect(again[1] as? String == read[1] as? String && (again[2] as? [String])?.count == 1)
            let left = try FileManager.default.contentsOfDirectory(atPath: store.folder).filter { $0.hasPrefix(".") }
            #expect(left.isEmpty)
            let doctor = try await store.run("doctor", "--offline")
            #expect(doctor.isSuccess && doctor.output.contains("they are signed with"), "\(doctor)")
            #expect(doctor.output.contains("devices are made to trust"))
        }
    }

    @Test func anUnsignedProfileSaysSo() async throws {
        try await Self.withStore("server: {public_url: \"https://funds.corp.example\"}\n") { store in
            let done = try await store.run("profile", "ann@example.com", "--to", "a.mobileconfig")
            #expect(done.isSuccess && done.errors.contains("not signed"), "\(done)")
            let read = try Self.read(store.folder + "/a.mobileconfig")
            #expect(read[2] as? [String] == ["com.apple.webClip.managed", "com.apple.carddav.account"])
            let doctor = try await store.run("doctor", "--offline")
            #expect(doctor.isSuccess && doctor.output.contains("they are not signed"), "\(doctor)")
        }
    }

    /// Nothing is written, and the message names the file.
    @Test func failuresLeaveNoFile() async throws {
        let authority = try TestAuthority.shared.get()
        let (valid, key) = (authority.certificatePath(.valid), authority.keyPath(.valid))
        let folder = try TestFile.makeFolder("profiles")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        mkfifo("\(folder)/pipe", 0o600)
        try TestFile.write(
            "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n", to: "\(folder)/no.pem")
        let rows: [(String, String, [String])] = [
            ("profiles: {certificate: \(valid), key: \(authority.keyPath(.expired))}\n", "does not belong", ["doctor"]),
            ("profiles: {certificate: \(valid), key: none.key}\n", "none.key cannot be read", ["doctor"]),
            ("profiles: {authority: \(key)}\n", "holds a private key", ["doctor"]),
            ("profiles: {authority: none.pem}\n", "none.pem cannot be read", ["doctor"]),
            ("profiles: {authority: \(folder)/no.pem}\n", "holds a certificate that cannot be read", ["doctor"]),
            ("profiles: {authority: \(folder)/pipe}\n", "pipe cannot be read: it is no regular file", ["doctor"]),
            ("profiles: {certificate: \(valid), key: \(folder)/pipe}\n", "it is no regular file", ["doctor"]),
            ("profiles: {certificate: /dev/zero, key: \(key)}\n", "it is no regular file", ["doctor"]),
            ("", "choose among web_clip, contacts", ["--part", "mail"]),
        ]
        for (lines, words, more) in rows {
            try await Self.withStore("server: {public_url: \"https://funds.corp.example\"}\n" + lines) { store in
                let isDoctored = more == ["doctor"]
                let options = isDoctored ? [] : more
                let done = try await store.program.run(
                    store.arguments(["profile", "ann@example.com", "--to", "a.mobileconfig"] + options))
                #expect(!done.isSuccess && done.errors.contains(words), "\(words): \(done)")
                #expect(!FileManager.default.fileExists(atPath: store.folder + "/a.mobileconfig"))
                guard isDoctored else { return }
                let doctor = try await store.run("doctor", "--offline")
                #expect(doctor.status == 78 && doctor.output.contains(words), "\(words): \(doctor)")
            }
        }
    }

    /// A certificate that devices do not trust any more signs all the same: the check names it.
    @Test func anExpiredCertificateIsNamed() async throws {
        let authority = try TestAuthority.shared.get()
        let lines = """
            profiles:
              certificate: \(authority.certificatePath(.expired))
              key: \(authority.keyPath(.expired))

            """
        try await Self.withStore("server: {public_url: \"https://funds.corp.example\"}\n" + lines) { store in
            let doctor = try await store.run("doctor", "--offline")
            #expect(doctor.status == 78 && doctor.output.contains("expired on"), "\(doctor)")
            let words = ["profile", "ann@example.com", "--to", "\(store.folder)/a.mobileconfig"]
            let done = try await store.program.run(store.arguments(words))
            #expect(done.isSuccess && done.errors.contains("has expired"), "\(done)")
        }
        let server = "tls: {certificate: \(authority.certificatePath(.expired)), key: \(authority.keyPath(.expired))}"
        try await Self.withStore("server: {public_url: \"https://funds.corp.example\", \(server)}\n") { store in
            let doctor = try await store.run("doctor", "--offline")
            #expect(doctor.status == 78 && doctor.output.contains("browsers warn"), "\(doctor)")
        }
    }
}
