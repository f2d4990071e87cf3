import FundHTTP
import Hummingbird
import TestSupport
import Testing

@testable import FundServer

/// A page that lacks a value ends neither the server nor the connection.
struct UnmadePageTests {
    /// Pages that a mistake of this program leaves without their values.
    private struct MistakenPages: ServerInterface {
        static let paths = ["/mistaken/none": "no such template", "/mistaken/values": "note"]

        let parts: PageParts

        func owns(path: String) -> Bool { Self.paths[path] != nil }

        func addRoutes(to router: some RouterMethods<ServerContext>) {
            for (path, template) in Self.paths {
                router.get(RouterPath(path)) { [parts] request, context in
                    PageCall(request: request, context: context, pages: parts).page(template, [:], title: "A page")
                }
            }
        }
    }

    @Test func aMissingValueIsAnAnswer() async throws {
        var options = ServerHarness.Options()
        options.further = { [MistakenPages(parts: $0)] }
        let harness = try await ServerHarness(options)
        for path in MistakenPages.paths.keys {
            let answer = try await harness.send("GET", path)
            #expect(answer.status == 500 && answer["cache-control"] == "no-store", "\(path)")
            #expect(answer.text == "Something went wrong on the server. It was logged.\n", "\(path)")
        }
        let chinese = try await harness.send("GET", "/mistaken/values", fields: ["Accept-Language": "zh"])
        #expect(chinese.status == 500 && chinese.text == "服务器出错，已记录。\n")
        #expect(try await harness.send("GET", "/healthz").status == 200)
        try await harness.stop()
    }
}
