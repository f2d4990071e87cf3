import FundCore
import FundStore
import Testing

@testable import FundServer

/// The requests that wait for each other, and those that do not.
struct DAVChangeTests {
    private struct Waiting: Sendable {
        var method: String
        var path: String
        var fields: [String: String] = [:]
        var body = ""
        var status: Int
    }

    @Test func othersGoOnWhileAFundIsChanged() async throws {
        let harness = try await DAVHarness()
        let changes = try #require(harness.server.davChanges)
        let library = harness.store.library
        let first = try #require(try await library.funds(of: harness.ann.id).first)
        _ = try await library.addFund("Fund2", of: harness.ann.id)
        let (bob, password) = try await DAVHarness.addUser("bob-dav@example.com", to: harness.store)
        _ = try await library.addFund("Fund1", of: bob.id)
        let asBob = ["Authorization": DAVHarness.basic(bob.email, password)]
        let statuses = try await changes.withLocks(for: [.root(harness.ann.id), .fund(first.id)]) {
            [
                try await harness.status("PUT", "Fund2/a", [:], "x"),
                try await harness.status("PUT", "Fund1/a", asBob, "x"),
                try await harness.status("MKCOL", "Fund3/", asBob),
                try await harness.status("LOCK", "", asBob, DAVHarness.lockBody()),
                try await harness.status("GET", "Fund1/a"),
            ]
        }
        #expect(statuses == [201, 201, 201, 200, 404])
        try await harness.server.stop()
    }

    @Test func waitsForAllThatItConcerns() async throws {
        let harness = try await DAVHarness()
        let changes = try #require(harness.server.davChanges)
        let library = harness.store.library
        let first = try #require(try await library.funds(of: harness.ann.id).first)
        let second = try await library.addFund("Fund2", of: harness.ann.id)
        let (one, two) = (ChangeScope.fund(first.id), ChangeScope.fund(second.id))
        let root = ChangeScope.root(harness.ann.id)
        let waiting: [(ChangeScope, Waiting)] = [
            (one, Waiting(method: "PUT", path: "Fund1/a", body: "x", status: 201)),
            (one, Waiting(method: "MOVE", path: "Fund1/a", fields: ["Destination": "/dav/Fund2/a"], status: 201)),
            (two, Waiting(method: "COPY", path: "Fund2/a", fields: ["Destination": "/dav/Fund1/a"], status: 201)),
            (one, Waiting(method: "MOVE", path: "Fund2/a", fields: ["Destination": "/dav/Fund1/b"], status: 201)),
            (one, Waiting(method: "PUT", path: "Fund2/a", fields: ["If": "</dav/Fund1/> (Not <x:y>)"], status: 201)),
            (root, Waiting(method: "MKCOL", path: "Fund3/sub/", status: 409)),
            (two, Waiting(method: "LOCK", path: "", body: DAVHarness.lockBody(), status: 200)),
            (root, Waiting(method: "MKCOL", path: "Fund3/", status: 423)),
            (root, Waiting(method: "DELETE", path: "Fund2/", status: 423)),
        ]
        for (scope, request) in waiting {
            let answer = await changes.withLock(for: scope) {
                let answer = Task {
                    try await harness.status(request.method, request.path, request.fields, request.body)
                }
                while changes.waitingCount(for: scope) == 0 { await Task.yield() }
                return answer
            }
            #expect(try await answer.value == request.status, "\(request)")
        }
        try await harness.server.stop()
    }

    /// A request that waited for a fund asks again which fund its path leads to.
    @Test func followsTheNameOfItsFund() async throws {
        let harness = try await DAVHarness()
        let changes = try #require(harness.server.davChanges)
        let (library, ann) = (harness.store.library, harness.ann.id)
        let first = try #require(try await library.funds(of: ann).first)
        let second = try await library.addFund("Fund2", of: ann)
        let answer = try await changes.withLock(for: .fund(second.id)) {
            let answer = try await changes.withLock(for: .fund(first.id)) {
                let answer = Task { try await harness.status("PUT", "Fund1/a", [:], "x") }
                while changes.waitingCount(for: .fund(first.id)) == 0 { await Task.yield() }
                _ = try await library.changeFund(first.id, name: "Old", aliases: nil, if: nil, of: ann)
                _ = try await library.changeFund(second.id, name: "Fund1", aliases: nil, if: nil, of: ann)
                return answer
            }
            while changes.waitingCount(for: .fund(second.id)) == 0 { await Task.yield() }
            return answer
        }
        #expect(try await answer.value == 201)
        #expect(
            try await library.items(along: ["Fund1", "a"], of: ann).first
                == .fund(try await library.fund(second.id, of: ann)))
        #expect(try await library.items(along: ["Fund1", "a"], of: ann).count == 2)
        #expect(try await library.items(along: ["Old", "a"], of: ann).count == 1)
        try await harness.server.stop()
    }
}
