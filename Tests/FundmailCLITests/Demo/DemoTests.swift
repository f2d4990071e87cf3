import Foundation
import FundCore
import TestSupport
import Testing

/// `serve --demo` from its start to its end.
@Suite(.startsPrograms) struct DemoTests {
    /// The folder for temporary files of one test.
    private final class Place {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "demo-test"))"

        init() throws { try TestFile.makeDirectory(folder) }
        deinit { try? DiskDirectory.removeTree(folder) }

        var demos: [String] { get throws { try DiskDirectory.names(in: folder) } }

        func start(port: Int = 0, seconds: Int? = nil) throws -> BuiltProgram.Running {
            var program = BuiltProgram()
            program.workingFolder = folder
            program.environment = ["TMPDIR": folder, "FUNDMAIL_DEMO_SECONDS": seconds.map(String.init) ?? ""]
            return try program.start(["serve", "--demo", "--demo-listen", "127.0.0.1:\(port)"])
        }
    }

    private static let logins = [("ann.archer@meridian.example", "/library"), ("office@meridian.example", "/desk")]

    /// The port, once it serves.
    private func port(_ running: BuiltProgram.Running) async throws -> Int {
        #expect(try await becomesTrue { running.outputSoFar.contains("Other commands") }, "\(running.errorsSoFar)")
        let line = try #require(running.outputSoFar.split(separator: "\n").first { $0.hasPrefix("The demo: ") })
        return try #require(line.split(separator: ":").last.flatMap { Int($0) })
    }

    private func send(_ method: String, _ path: String, _ fields: String, _ body: String = "", _ port: Int) async throws
        -> RawHTTPResponse
    {
        let connection = try RawHTTPConnection(port: port)
        await connection.send(
            "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        return try #require(await connection.response())
    }

    /// Signs in by the form that the page offers. Returns the field with the cookie.
    private func signIn(_ email: String, _ port: Int) async throws -> String {
        let page = try await send("GET", "/sign-in", "", "", port)
        #expect(page.status == 200 && page.text.contains("name=\"username\" value=\"\(email)\""))
        let form = "username=\(email.replacing("@", with: "%40"))&password=demo-of-fundmail"
        let answer = try await send(
            "POST", "/sign-in", "Content-Type: application/x-www-form-urlencoded\r\nSec-Fetch-Site: same-origin\r\n",
            form, port)
        #expect(answer.status == 303, "\(answer.text)")
        return "Cookie: \(try #require(answer["set-cookie"]).prefix { $0 != ";" })\r\n"
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func showsAnOfficeAndLeavesNothing(_ signal: Int32) async throws {
        let place = try Place()
        let running = try place.start()
        defer { running.kill() }
        let port = try await port(running)
        #expect(try place.demos.count == 1)
        var pages: [String] = []
        for (email, path) in Self.logins {
            let cookie = try await signIn(email, port)
            pages.append(try await send("GET", path, cookie, "", port).text)
        }
        for fund in ["Harbour Growth II", "Oasis Infrastructure", "Meridian Partners I", "绿洲基金"] {
            #expect(pages[0].contains(fund), "\(fund)")
        }
        #expect(!pages[0].contains("Lumen Grid"))
        for subject in ["Covenant certificate", "Minutes of the advisory board", "Model of the grid", "NAV statement"] {
            #expect(pages[1].contains(subject), "\(subject)")
        }
        running.signal(signal)
        let done = try await running.wait()
        #expect(done.isSuccess, "\(done)")
        #expect(try place.demos.isEmpty)
        #expect(done.output.contains("office@meridian.example"))
    }

    /// Other commands work on it, and what it holds is whole. Eleven messages are filed and five kept.
    @Test func otherCommandsSeeIt() async throws {
        let place = try Place()
        let running = try place.start()
        defer { running.kill() }
        _ = try await port(running)
        let folder = try #require(place.demos.first)
        let configuration = "\(place.folder)/\(folder)/fundmail.yaml"
        let report = try await BuiltProgram().run(["report", "misrouted", "--config", configuration])
        #expect(report.isSuccess && report.output.contains("Harbour Growth II"), "\(report)")
        for (reason, count) in [("no_tag", 2), ("unknown_fund", 1), ("unknown_sender", 2)] {
            #expect(report.output.contains("\(reason) (\(count))"), "\(report.output)")
        }
        let verified = try await BuiltProgram().run(["verify", "--config", configuration])
        #expect(verified.isSuccess, "\(verified)")
        let funds = try await BuiltProgram().run(["fund", "list", "--json", "--config", configuration])
        #expect(funds.output.split(separator: "\n").count == 5, "\(funds)")
        running.signal(SIGTERM)
        #expect(try await running.wait().isSuccess)
    }

    /// A folder of a demo that was killed goes with the next start; one that is in use, and a person's own, stay.
    @Test func removesWhatAKilledOneLeft() async throws {
        let place = try Place()
        let killed = try place.start()
        _ = try await port(killed)
        let left = try place.demos
        killed.kill()
        _ = try await killed.wait()
        #expect(try place.demos == left)
        try TestFile.makeDirectory("\(place.folder)/fundmail-demo-2")

        let first = try place.start()
        defer { first.kill() }
        _ = try await port(first)
        let used = try place.demos
        #expect(used.count == 2 && used.contains("fundmail-demo-2") && !used.contains(left[0]))
        let second = try place.start()
        defer { second.kill() }
        let port = try await port(second)
        #expect(try Set(place.demos).isSuperset(of: used) && place.demos.count == 3)
        #expect(try await send("GET", "/sign-in", "", "", port).status == 200)
        for running in [first, second] {
            running.signal(SIGTERM)
            #expect(try await running.wait().isSuccess)
        }
        #expect(try place.demos == ["fundmail-demo-2"])
    }

    /// When its time is over all is made anew, at the same address, and it still ends as it is told.
    @Test func beginsAnew() async throws {
        let place = try Place()
        let running = try place.start(seconds: 1)
        defer { running.kill() }
        let port = try await port(running)
        let addresses = { running.outputSoFar.split(separator: "\n").filter { $0.hasPrefix("The demo: ") } }
        #expect(try await becomesTrue { addresses().count >= 3 }, "\(running.errorsSoFar)")
        #expect(Set(addresses()).count == 1 && addresses()[0].hasSuffix(":\(port)"))
        running.signal(SIGTERM)
        let done = try await running.wait()
        #expect(done.status == 0 || done.status == SIGTERM && done.wasKilled, "\(done)")
    }

    /// A failure leaves nothing either.
    @Test func removesItselfWhereItCannotListen() async throws {
        let taken = try LoopbackServer { _, _ in }
        defer { taken.stop() }
        let place = try Place()
        let running = try place.start(port: taken.port)
        let done = try await running.wait()
        #expect(done.status == 69, "\(done)")
        #expect(try place.demos.isEmpty)
    }
}
