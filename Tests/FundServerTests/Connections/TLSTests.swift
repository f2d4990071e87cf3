internal import Foundation
import FundStore
import FundCore
import Logging
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Connections over TLS, as curl and openssl see them.
@Suite(.startsPrograms) struct TLSTests {
    private struct Files {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "fundserver-tls"))"
        let authority: TestAuthority
        var certificate: String { folder + "/cert.pem" }
        var key: String { folder + "/key.pem" }

        init() throws {
            authority = try TestAuthority.shared.get()
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try put(.valid)
        }

        func put(_ kind: TestAuthority.Certificate) throws {
            for (from, to) in [(authority.certificatePath(kind), certificate), (authority.keyPath(kind), key)] {
                try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to), options: .atomic)
            }
        }

        func source() throws -> CertificateSource {
            try CertificateSource(
                certificateFile: certificate, keyFile: key,
                logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        }
    }

    /// A pipe has no end: neither the start of the server nor a look at its certificate waits for one.
    @Test func aPipeIsNoCertificate() throws {
        let files = try Files()
        let pipe = files.folder + "/pipe"
        mkfifo(pipe, 0o600)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        for (certificate, key) in [(pipe, files.key), (files.certificate, pipe), ("/dev/zero", files.key)] {
            #expect(throws: WholeFile.Failure.self) {
                try CertificateSource(certificateFile: certificate, keyFile: key, logger: logger)
            }
            #expect(throws: CertificateFacts.Problem.self) {
                try CertificateFacts(certificateFile: certificate, keyFile: key)
            }
        }
        #expect(throws: CertificateFacts.Problem.certificate) { try CertificateFacts.validity(ofFile: pipe) }
        #expect(try CertificateFacts.validity(ofFile: files.certificate).contains(.now))
        try files.put(.expired)
        #expect(try CertificateFacts.validity(ofFile: files.certificate).upperBound < .now)
    }

    private func curl(_ words: [String]) async throws -> String {
        try await offPool { try ToolRun.output(["curl", "-sS", "--max-time", "60"] + words) }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func servesOverTLS(_ version: String) async throws {
        let files = try Files()
        var options = ServerHarness.Options()
        options.certificates = try files.source()
        let harness = try await ServerHarness(options)
        let answer = try await curl([
            version, "--cacert", files.authority.caFile, "-w", " %{http_version}", "\(harness.baseURL)/healthz",
        ])
        #expect(answer == "ok\n " + (version == "--http2" ? "2" : "1.1"))
        let token = try await harness.token(of: harness.people.ann)
        let id = try await harness.store.library.email(harness.people.email, of: harness.people.ann.id).attachments[2]
            .id
        let size = try await curl([
            version, "--cacert", files.authority.caFile, "-H", "Authorization: Bearer \(token)", "-o", "/dev/null",
            "-w",
            "%{http_code} %{size_download}", "\(harness.baseURL)/api/v1/attachments/\(id)/content",
        ])
        #expect(size == "200 3000001")
        try await harness.stop()
    }

    /// 32 KiB of fields are taken, also before the client has seen the server's settings; more are answered (RFC 9113
    /// §10.5.1), and the connection goes on.
    @Test func boundsTheHeaderOfHTTP2() async throws {
        let files = try Files()
        var options = ServerHarness.Options()
        options.certificates = try files.source()
        let harness = try await ServerHarness(options)
        let statuses = try await curl(
            ["--http2", "--cacert", files.authority.caFile, "-w", "%{http_code} %{num_connects} "]
                + [20, 40, 20].flatMap { size in
                    [
                        "-o", "/dev/null", "-H", "X: \(String(repeating: "y", count: size * 1024))",
                        "\(harness.baseURL)/healthz",
                    ]
                        + ["--next", "--http2", "-sS", "--cacert", files.authority.caFile]
                        + ["-w", "%{http_code} %{num_connects} "]
                } + ["-o", "/dev/null", "\(harness.baseURL)/healthz"])
        #expect(statuses == "200 1 431 0 200 0 200 0 ")
        try await harness.stop()
    }

    /// RFC 6797 §7.2: said over TLS, also where a proxy has it, and never without.
    @Test func tellsBrowsersToKeepToTLS() async throws {
        let files = try Files()
        var options = ServerHarness.Options()
        options.certificates = try files.source()
        let harness = try await ServerHarness(options)
        let head = try await curl(["-I", "--cacert", files.authority.caFile, "\(harness.baseURL)/healthz"])
        #expect(head.lowercased().contains("strict-transport-security: max-age=31536000\r\n"))
        try await harness.stop()
        options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        let behind = try await ServerHarness(options)
        for (scheme, isSaid) in [("https", true), ("http", false)] {
            let response = try await behind.send("GET", "/healthz", fields: ["X-Forwarded-Proto": scheme])
            #expect((response["strict-transport-security"] != nil) == isSaid, "\(scheme)")
        }
        try await behind.stop()
    }

    /// A renewed certificate is used from the next connection on; one that cannot be used changes nothing.
    @Test
    func takesANewCertificate() async throws {
        let files = try Files()
        let source = try files.source()
        var options = ServerHarness.Options()
        options.certificates = source
        let harness = try await ServerHarness(options)
        let words = ["--cacert", files.authority.caFile, "\(harness.baseURL)/healthz"]
        #expect(try await curl(words) == "ok\n")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: files.certificate))
        #expect(throws: (any Error).self) {
            try source.reload(certificateFile: files.certificate, keyFile: files.key)
        }
        #expect(try await curl(words) == "ok\n")
        try files.put(.selfSigned)
        try source.reload(certificateFile: files.certificate, keyFile: files.key)
        await #expect(throws: ServerFailure.self) { try await curl(words) }
        #expect(try await curl(["--cacert", files.certificate, "\(harness.baseURL)/healthz"]) == "ok\n")
        try await harness.stop()
    }

    /// A client that connects and never shakes hands.
    @Test
    func cutsOffHandshakesThatNeverEnd() async throws {
        let files = try Files()
        var options = ServerHarness.Options()
        options.certificates = try files.source()
        options.settings.limits.idleTimeout = .seconds(2)
        let harness = try await ServerHarness(options)
        for bytes in [[], [0x16, 0x03, 0x01] as [UInt8]] {
            let connection = try RawHTTPConnection(port: harness.port)
            await connection.send(bytes)
            #expect(await connection.isClosed(within: .seconds(30)))
        }
        try await harness.stop()
    }
}
