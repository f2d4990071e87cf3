internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Names of funds that change hands over the web API: the answer to who is given one says whose it was before.
struct FundNameTests {
    private struct Answer: Decodable {
        var id: Int64
        var name: String
        var aliases: [String]
        var tookNameFrom: String?
    }

    @Test(arguments: [false, true])
    func whoseNameItWasIsTold(byAdministrator: Bool) async throws {
        let harness = try await ServerHarness()
        let people = harness.people
        let ann = try await harness.token(of: people.ann)
        let token = byAdministrator ? try await harness.token(of: people.root) : ann
        let path = byAdministrator ? "/api/v1/admin/funds" : "/api/v1/funds"
        let owner = byAdministrator ? #","owner":\#(people.ann.id)"# : ""
        func send(_ method: String, _ target: String, _ json: String) async throws -> (Answer, tag: String?) {
            let response = try await harness.send(method, target, token: token, json: json)
            #expect(response.status < 300, "\(response.text)")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return (try decoder.decode(Answer.self, from: Data(response.body)), response["etag"])
        }
        let (first, name) = (people.fund.id, people.fund.name)
        let renamed = try await send("PATCH", "\(path)/\(first)", #"{"name":"Alpha"}"#).0
        #expect(renamed.tookNameFrom == nil && renamed.aliases.contains(name))
        let second = try await send("POST", path, #"{"name":"\#(name)"\#(owner)}"#).0
        #expect(second.id != first.rawValue && second.tookNameFrom == "Alpha")
        #expect(try await send("PATCH", "\(path)/\(second.id)", #"{"name":"Beta"}"#).0.tookNameFrom == nil)
        let (again, tag) = try await send("PATCH", "\(path)/\(first)", #"{"name":"\#(name)"}"#)
        #expect(again.tookNameFrom == "Beta" && again.aliases.contains("Alpha"))
        // It is said of the change, and is no part of the fund.
        let found = try await harness.send("GET", "/api/v1/funds/\(first)", token: ann)
        if byAdministrator {
            // A fund that is given takes its name along.
            let given = try await send("POST", path, #"{"name":"Alpha","owner":\#(people.bea.id)}"#).0
            let taken = try await send("POST", "\(path)/\(given.id)/give", #"{"owner":\#(people.ann.id)}"#).0
            #expect(taken.tookNameFrom == name && taken.id == given.id)
        }
        #expect(!found.text.contains("took_name_from") && (byAdministrator || found["etag"] == tag))
        try await harness.stop()
    }
}
