import Foundation
import FundCore
import FundStore
import Ingest
import TestSupport
import Testing

@testable import FundServer

/// An administrator at the desk, and kept mail.
struct DeskVisit {
    let desk: DeskAPITests.Desk
    let root: BrowserSession
    var harness: ServerHarness { desk.harness }
    var fund: Fund.ID { harness.people.fund.id }

    init() async throws {
        desk = try await DeskAPITests.Desk()
        root = try await BrowserSession(desk.harness.people.root, desk.harness)
    }

    func get(_ path: String, _ status: Int = 200) async throws -> String {
        let answer = try await root.get(path, harness)
        #expect(answer.status == status, "\(path): \(answer.text.suffix(600))")
        return answer.text
    }

    func act(_ form: String, _ status: Int = 303, at path: String = "/desk/acts") async throws -> RawHTTPResponse {
        let answer = try await root.post(path, form, harness)
        #expect(answer.status == status, "\(form): \(answer.text.suffix(600))")
        return answer
    }

    func json(_ form: String, at path: String = "/desk/acts") async throws -> [String: Any] {
        let answer = try await root.post(path, form, harness, fields: ["Accept": "application/json"])
        return try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    }

    /// Another administrator.
    func another(_ name: String) async throws -> BrowserSession {
        let user = try await harness.store.administration.addUser(
            email: "\(name.lowercased())@example.com", name: name, isAdministrator: true, addresses: [],
            actor: "test")
        let hash = try PasswordHash(of: Password(TestPeople.password), parameters: TestPeople.weakScrypt).text
        try await harness.store.accounts.setPasswordHash(hash, of: user.id, actor: "test")
        return try await BrowserSession(user, harness)
    }

    func waiting() async throws -> Int {
        var filter = MisrouteFilter()
        filter.attention = .waiting
        return try await harness.store.administration.countMisroutes(filter)
    }
}
