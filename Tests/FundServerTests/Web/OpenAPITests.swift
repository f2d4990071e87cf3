import FundStore
import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// The document against the server, in both directions.
struct OpenAPITests {
    /// schemathesis asks for everything that the document promises, right and wrong, as an administrator with funds of
    /// their own: no 5xx, no answer that the document does not know, nothing wrong taken for right; and nothing right
    /// taken for wrong, but where scripts/schemathesis.toml says why a schema cannot say what is right.
    @Test(.startsPrograms)
    func keepsWhatItPromises() async throws {
        let harness = try await ServerHarness(.withPreviews)
        let root = harness.people.root
        let fund = try await harness.store.library.addFund("Root's", of: root.id)
        _ = try await TestPeople.file(
            "letter", harness.people.parts, in: Fund(id: fund.id, owner: root.id, name: fund.name), of: root,
            harness.store)
        _ = try await harness.store.library.addNote(NoteText(title: "t", content: "c"), in: fund.id, of: root.id)
        let token = try await harness.token(of: root)
        // Signing out ends the run's own token; revoking may hit it.
        let words = [
            // The document as a file: it gives up on an address that does not answer within ten seconds.
            "bash", "\(PackageRoot.path)/scripts/schemathesis", "run",
            "\(PackageRoot.path)/Sources/FundServer/Web/openapi.yaml", "--url", "\(harness.baseURL)/api",
            "--header", "Authorization: Bearer \(token)", "--exclude-operation-id", "signOut", "--exclude-operation-id",
            "revokeToken", "--exclude-operation-id", "signOutEverywhere", "--phases", "examples,coverage,fuzzing",
            "--max-examples", "10", "--generation-deterministic", "--no-color", "--warnings", "off",
            // Ten seconds by default: a debug build that hashes passwords beside other tests may take longer.
            "--request-timeout", "300",
        ]
        _ = try await offPool { try ToolRun.output(words) }
        try await harness.stop()
    }

    /// The document has the operations that are served. One that writes may find no room (507), and may be asked for on
    /// a condition (412). Each names the app passwords that open it.
    @Test
    func namesEveryRoute() async throws {
        let harness = try await ServerHarness()
        let document = try await harness.send("GET", "/api/openapi.yaml").text
        var path = ""
        var written: Set<String> = []
        var operation = ""
        var statuses: [String: Set<String>] = [:]
        var schemes: [String: Set<String>] = [:]
        for line in document.split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = String(line.dropFirst(2).dropLast()) }
            for method in ["get", "post", "put", "patch", "delete"] where line == "    \(method):" {
                operation = "\(method.uppercased()) \(path)"
                written.insert(operation)
            }
            if line.hasPrefix("      security: [{") {
                schemes[operation] = Set(line.matches(of: /\{(\w+): \[\]\}/).map { String($0.output.1) })
            }
            if line.hasPrefix("        \"") {
                statuses[operation, default: []].insert(String(line.dropFirst(9).prefix(3)))
            }
        }
        for operation in written where !operation.hasPrefix("GET ") {
            #expect(statuses[operation, default: []].isSuperset(of: ["412", "507"]), "\(operation)")
        }
        #expect(written == Set(WebAPI.routes.map { "\($0.method.rawValue) \($0.path)" }))
        // Which app passwords open it.
        for route in WebAPI.routes {
            let operation = "\(route.method.rawValue) \(route.path)"
            let expected = Set(route.reaches.map { "\($0.rawValue)Password" })
            #expect(schemes[operation, default: []].subtracting(["token"]) == expected, "\(operation)")
            guard route.access != .anyone, route.reaches.count < TokenReach.allCases.count else { continue }
            #expect(statuses[operation, default: []].contains("403"), "\(operation)")
        }
        try await harness.stop()
    }
}
