internal import Foundation
import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Behind nginx, as docs/operating.md says to configure it.
@Suite(.startsPrograms) struct NginxTests {
    /// nginx with the server block of the documentation, in front of a harness.
    private static func startProxy(of harness: ServerHarness) throws -> (server: ServerProcess, port: HeldPort) {
        let port = try HeldPort()
        let folder = try TestFile.makeFolder("nginx")
        let document = try String(contentsOfFile: PackageRoot.path + "/docs/operating.md", encoding: .utf8)
        let lines = document.split(separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex(of: "    server {"))
        let end = try #require(lines[begin...].firstIndex(of: "    }"))
        let block = lines[begin...end].joined(separator: "\n")
            .replacing("listen 443 ssl;", with: "listen 127.0.0.1:\(port.number);")
            .replacing("http://127.0.0.1:8080", with: harness.baseURL)
            // TLS ends before nginx in this test.
            .replacing("X-Forwarded-Proto $scheme", with: "X-Forwarded-Proto https")
        #expect(block.contains(harness.baseURL) && block.contains("127.0.0.1:\(port.number)"))
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        let configuration = """
            \(geteuid() == 0 ? "user root;" : "")
            daemon off;
            worker_processes 1;
            pid \(folder)/pid;
            error_log stderr;
            events { worker_connections 64; }
            http {
            \(temporary)
            access_log off;
            \(block)
            }
            """
        try configuration.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        guard let program = ServerProcess.find("nginx") else { throw ServerFailure("nginx is not installed") }
        return (
            try ServerProcess([program, "-p", folder, "-e", "stderr", "-c", folder + "/nginx.conf"], folder: folder),
            port
        )
    }

    @Test
    func servesThroughAProxy() async throws {
        var options = ServerHarness.Options()
        options.settings.isBehindProxy = true
        let harness = try await ServerHarness(options)
        let people = harness.people
        let proxy = try Self.startProxy(of: harness)
        #expect(
            try await becomesTrue {
                guard let descriptor = LoopbackSocket.connect(port: proxy.port.number) else { return false }
                return close(descriptor) == 0
            }, "\(proxy.server.log)")
        let token = try await harness.token(of: people.ann)
        let attachments = try await harness.store.library.email(people.email, of: people.ann.id).attachments
        func get(_ index: Int, _ fields: [String: String] = [:], token: String? = token) async throws -> RawHTTPResponse
        {
            try await harness.send(
                "GET", "/api/v1/attachments/\(attachments[index].id)/content", token: token, fields: fields,
                port: proxy.port.number)
        }
        let whole = try await get(2)
        #expect(whole.body == people.parts[2].bytes)
        #expect(whole["etag"] == "\"\(attachments[2].digest.hex)\"")
        #expect(whole["content-security-policy"]?.contains("sandbox") == true)
        #expect(whole["x-content-type-options"] == "nosniff")
        #expect(whole["content-disposition"] == "attachment; filename=\"large.bin\"")
        let part = try await get(2, ["Range": "bytes=5-9"])
        #expect(part.status == 206)
        #expect(part.body == Array(people.parts[2].bytes[5...9]))
        #expect(try await get(2, ["If-None-Match": "\"\(attachments[2].digest.hex)\""]).status == 304)
        #expect(try await get(0, token: nil).status == 401)
        proxy.server.stop()
        try await harness.stop()
    }
}
