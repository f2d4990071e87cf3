import FundCore
import Glibc
import MailConnection
import TestSupport
import Testing

@testable import NewsFetch

/// Fetches over TLS, from a server that speaks HTTP/2.
@Suite(.startsPrograms) struct EncryptedFetchTests {
    private func fetcher(port: Int, caFile: String?) -> FeedFetcher {
        var reach = FetchReach.publicInternet
        reach.substitutes = ["::127.0.0.1:\(port)"]
        reach.limit = .seconds(60)
        reach.isAllowed = { $0.bytes == [127, 0, 0, 1] }
        reach.caFile = caFile
        return FeedFetcher(reach, cancellation: Cancellation()) { ForbiddenSites([]) }
    }

    @Test
    func checksTheCertificate() async throws {
        let server = try await FundmailServer(.valid)
        let authority = try TestAuthority.shared.get().caFile
        let fetcher = fetcher(port: server.port, caFile: authority)
        let address = try #require(NewsAddress("https://localhost/healthz"))
        // The second one takes the connection of the first.
        for _ in 0..<2 {
            guard case .document(let document) = try await fetcher.fetch(address).content else {
                Issue.record("no document")
                return
            }
            #expect(!document.bytes.isEmpty && document.address == address.text)
        }
        let other = try #require(NewsAddress("https://feeds.example/healthz"))
        for (address, fetcher) in [(other, fetcher), (address, self.fetcher(port: server.port, caFile: nil))] {
            await #expect {
                _ = try await fetcher.fetch(address)
            } throws: {
                ($0 as? FetchFailure)?.error.problem == .certificate
            }
        }
    }

    /// A server that offers HTTP/2 is asked by it, on one connection, and by HTTP/1.1 where it offers that alone.
    @Test(arguments: [("http2", "HTTP/2.0"), ("", "HTTP/1.1")])
    func takesTheBestProtocol(offered: String, taken: String) async throws {
        let authority = try TestAuthority.shared.get()
        let (port, folder) = (try HeldPort(), try TestFile.makeFolder("nginx"))
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
            gzip on;
            gzip_min_length 1;
            gzip_types application/rss+xml;
            server {
                listen 127.0.0.1:\(port.number) ssl \(offered);
                ssl_certificate \(authority.certificatePath(.valid));
                ssl_certificate_key \(authority.keyPath(.valid));
                default_type application/rss+xml;
                location / { return 200 "$server_protocol $connection_requests $http_accept_encoding"; }
            }
            }
            """
        try TestFile.write(Array(configuration.utf8), to: folder + "/nginx.conf")
        guard let program = ServerProcess.find("nginx") else { throw ServerFailure("nginx is not installed") }
        let server = try ServerProcess(
            [program, "-p", folder, "-e", "stderr", "-c", folder + "/nginx.conf"], folder: folder)
        #expect(
            try await becomesTrue {
                guard let descriptor = LoopbackSocket.connect(port: port.number) else { return false }
                return close(descriptor) == 0
            }, "\(server.log)")
        let fetcher = fetcher(port: port.number, caFile: authority.caFile)
        let address = try #require(NewsAddress("https://localhost/feed"))
        for number in 1...3 {
            guard case .document(let document) = try await fetcher.fetch(address).content else {
                Issue.record("no document")
                break
            }
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(text.hasPrefix("\(taken) \(number) ") && text.contains("gzip"), "\(text)")
        }
        server.stop()
    }
}
