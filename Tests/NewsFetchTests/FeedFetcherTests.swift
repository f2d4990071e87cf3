import FundCore
import MailConnection
import Synchronization
import TestSupport
import Testing

@testable import NewsFetch

/// Fetching of documents from servers that behave in all kinds of ways.
struct FeedFetcherTests {
    private func fetcher(
        _ reach: FetchReach, forbidden: Set<String> = [], _ cancellation: Cancellation = Cancellation()
    ) -> FeedFetcher {
        FeedFetcher(reach, cancellation: cancellation) { ForbiddenSites(forbidden) }
    }

    private static func address(_ text: String) throws -> NewsAddress { try #require(NewsAddress(text)) }

    private static func text(_ fetched: FetchedDocument) -> String? {
        if case .document(let document) = fetched.content {
            String(decoding: document.bytes, as: UTF8.self)
        } else {
            nil
        }
    }

    /// The problem of a fetch that fails.
    private func problem(_ text: String, _ fetcher: FeedFetcher) async throws -> NewsProblem? {
        do {
            _ = try await fetcher.fetch(try Self.address(text))
            return nil
        } catch let failure as FetchFailure { return failure.error.problem }
    }

    @Test
    func sendsBackBothValidatorsAsTheyCame() async throws {
        let web = try LoopbackWeb { request in
            request.fields["if-none-match"] == nil
                ? .text(
                    "feed", ("ETag", "W/\"a,b\""), ("Last-Modified", "yesterday"),
                    ("Cache-Control", "public, max-age=90"),
                    ("Content-Type", "text/xml; charset=x")) : LoopbackWeb.Answer(status: 304)
        }
        let fetcher = fetcher(web.reach())
        let address = try Self.address("http://feeds.example/a?b=c")
        let first = try await fetcher.fetch(address)
        #expect(Self.text(first) == "feed" && first.maxAge == .seconds(90) && first.movedTo == nil)
        #expect(first.validators == FeedValidators(etag: "W/\"a,b\"", lastModified: "yesterday"))
        let second = try await fetcher.fetch(address, unlessLike: first.validators)
        #expect(Self.text(second) == nil)
        #expect(web.requests.map(\.address) == ["http://feeds.example/a?b=c", "http://feeds.example/a?b=c"])
        let fields = web.requests[1].fields
        #expect(fields["if-none-match"] == "W/\"a,b\"" && fields["if-modified-since"] == "yesterday")
        #expect(fields["accept-encoding"]?.contains("gzip") == true && fields["cookie"] == nil)
        #expect(fields["accept"]?.contains("application/atom+xml") == true)
    }

    @Test
    func followsRedirectionsAndKnowsThoseForGood() async throws {
        let web = try LoopbackWeb { request in
            switch request.address {
            case "http://a.example/": .redirect(301, "/b")
            case "http://a.example/b": .redirect(308, "http://c.example:8080/c#x")
            case "http://d.example/": .redirect(302, "http://a.example/")
            case "http://loop.example/": .redirect(302, "/")
            default: .text("end")
            }
        }
        let fetcher = fetcher(web.reach())
        let moved = try await fetcher.fetch(try Self.address("http://a.example/"))
        #expect(Self.text(moved) == "end" && moved.movedTo?.text == "http://c.example:8080/c")
        #expect(try await fetcher.fetch(try Self.address("http://d.example/")).movedTo == nil)
        #expect(web.requests.allSatisfy { $0.fields["cookie"] == nil })
        let count = web.requests.count
        #expect(try await problem("http://loop.example/", fetcher) == .tooManyRedirects)
        #expect(web.requests.count == count + 1 + FeedFetcher.maxRedirects)
    }

    @Test(arguments: [
        ("file:///etc/passwd", NewsProblem.address), ("ftp://a.example/", .address), ("gopher://a.example/", .address),
        ("http://a.example:22/", .address), ("http://user:secret@a.example/", .address), ("", .address),
        ("http://bad.example/", .forbidden), ("//bad.example/x", .forbidden),
    ])
    func refusesSomeRedirections(location: String, problem: NewsProblem) async throws {
        let web = try LoopbackWeb { _ in .redirect(302, location) }
        let fetcher = fetcher(web.reach(), forbidden: ["bad.example"])
        #expect(
            try await self.problem("http://a.example/", fetcher) == (location.isEmpty ? .tooManyRedirects : problem))
        #expect(location.isEmpty || web.requests.count == 1)
        #expect(try await self.problem("http://bad.example/", fetcher) == .forbidden)
    }

    @Test(arguments: [
        (400, NewsProblem.server), (401, .refused), (403, .refused), (404, .notFound), (410, .gone), (429, .busy),
        (451, .refused), (500, .server), (503, .busy), (305, .server),
    ])
    func knowsStatuses(status: Int, problem: NewsProblem) async throws {
        let web = try LoopbackWeb { _ in LoopbackWeb.Answer(status: status, body: Array("x".utf8)) }
        #expect(try await self.problem("http://a.example/", fetcher(web.reach())) == problem)
    }

    @Test(arguments: [("120", 120), ("Tue, 14 Nov 2023 22:15:20 GMT", 120), ("Tue, 14 Nov 2023 22:00:00 GMT", 0)])
    func readsRetryAfter(text: String, seconds: Int) async throws {
        let web = try LoopbackWeb { _ in LoopbackWeb.Answer(status: 503, fields: [("Retry-After", text)]) }
        let address = try Self.address("http://a.example/")
        await #expect {
            _ = try await fetcher(web.reach()).fetch(address, now: Timestamp(1_700_000_000))
        } throws: {
            ($0 as? FetchFailure)?.retryAfter == .seconds(seconds)
        }
    }

    @Test(.startsPrograms) func bytesCountAsTheyAreUnpacked() async throws {
        let file = "/tmp/\(DiskDirectory.uniqueName(prefix: "news"))"
        defer { _ = try? ToolRun.output(["rm", "-f", file, file + ".gz"]) }
        try ToolRun.output(["sh", "-c", "head -c 6000000 /dev/zero > \(file) && gzip -kf \(file)"])
        let packed = try WholeFile.read(file + ".gz", maxBytes: 1 << 20)
        #expect(packed.count < 10_000)
        let web = try LoopbackWeb { request in
            switch request.address.suffix(2) {
            case "/a": LoopbackWeb.Answer(body: [UInt8](repeating: 65, count: 6_000_000))
            case "/b": LoopbackWeb.Answer(body: [UInt8](repeating: 65, count: 6_000_000), framing: .chunked)
            case "/c": LoopbackWeb.Answer(fields: [("Content-Encoding", "gzip")], body: packed)
            default: LoopbackWeb.Answer(body: [UInt8](repeating: 65, count: 5_000_000), framing: .chunked)
            }
        }
        for path in ["a", "b", "c"] {
            #expect(try await problem("http://a.example/\(path)", fetcher(web.reach())) == .tooLarge, "\(path)")
        }
        #expect(try await problem("http://a.example/d", fetcher(web.reach())) == nil)
    }

    @Test
    func givesSlowServersUp() async throws {
        let web = try LoopbackWeb { request in
            request.address.contains("/hang") ? .hangs : .redirect(302, "/hang")
        }
        #expect(try await problem("http://a.example/", fetcher(web.reach(limit: .milliseconds(500)))) == .tooSlow)
        // The end of the program ends a fetch.
        let cancellation = Cancellation()
        let fetching = Task { try await problem("http://a.example/hang2", fetcher(web.reach(), cancellation)) }
        while !web.requests.contains(where: { $0.address.hasSuffix("/hang2") }) { await Task.yield() }
        cancellation.cancel()
        #expect(try await fetching.value == .unreachable)
    }

    private func fetcher(_ reach: FetchReach, _ cancellation: Cancellation) -> FeedFetcher {
        FeedFetcher(reach, cancellation: cancellation) { ForbiddenSites([]) }
    }

    // MARK: Addresses

    /// A name that resolves to this machine, whatever it resolved to before.
    @Test
    func judgesTheAddressThatIsDialled() async throws {
        let web = try LoopbackWeb { _ in .text("secret") }
        var reach = web.reach()
        reach.isAllowed = FetchReach.publicInternet.isAllowed
        for address in ["http://feeds.example/", "https://feeds.example/", "http://feeds.example:8080/"] {
            #expect(try await problem(address, fetcher(reach)) == .privateAddress)
        }
        #expect(web.requests.isEmpty)
    }

    /// The first address of a name is public, and the one behind a redirection is not.
    @Test
    func judgesEachRedirectionAnew() async throws {
        let web = try LoopbackWeb { request in
            request.address == "http://a.example/"
                ? LoopbackWeb.Answer(status: 302, fields: [("Location", "http://b.example/"), ("Connection", "close")])
                : .text("secret")
        }
        let dialled = Dialled()
        let reach = web.reach { _ in
            dialled.count.withLock {
                $0 += 1; return $0 == 1
            }
        }
        #expect(try await problem("http://a.example/", fetcher(reach)) == .privateAddress)
        #expect(web.requests.map(\.address) == ["http://a.example/"])
    }

    private final class Dialled: Sendable {
        let count = Mutex(0)
    }

    @Test(arguments: [
        "http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/",
        "http://0x7f.1/", "http://0/", "http://10.1.2.3/", "http://192.168.1.1:8080/", "http://169.254.169.254/latest/",
        "http://172.16.0.1/", "http://100.64.1.1/", "http://localhost/", "http://localhost./", "https://127.0.0.1/",
        "http://%31%32%37.0.0.1/", "http://１２７.0.0.1/",
    ])
    func refusesPrivateAddressesInEverySpelling(text: String) async throws {
        guard let address = NewsAddress(text) else { return }
        do {
            _ = try await fetcher(.publicInternet).fetch(address)
            Issue.record("\(text) was fetched")
        } catch let failure as FetchFailure {
            let isName = text.contains("１") || text.contains("localhost.")
            #expect(
                failure.error.problem == .privateAddress || isName && failure.error.problem == .unreachable,
                "\(text): \(failure)")
        }
    }

    /// Without IPv6 on this machine no such address is dialled at all.
    @Test(arguments: [
        "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/", "http://[fe80::1]/",
        "http://[fd00::1]/",
        "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/",
    ])
    func refusesPrivateAddressesOfIPv6(text: String) async throws {
        let found = try await problem(text, fetcher(.publicInternet))
        #expect(found == .privateAddress || found == .unreachable, "\(text): \(String(describing: found))")
    }
}
