import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Webhooks by the web API.
struct WebhookAPITests {
    private struct Client {
        let harness: ServerHarness
        let receiver: SampleReceiver
        let token: String

        func object(
            _ method: String, _ path: String, _ body: String? = nil, _ status: Int = 200
        ) async throws -> [String: Any] {
            let path = "/api/v1/webhooks" + path
            let response =
                if let body {
                    try await harness.send(method, path, token: token, json: body)
                } else {
                    try await harness.send(method, path, token: token)
                }
            #expect(response.status == status, "\(method) \(path): \(response.text.prefix(400))")
            guard !response.body.isEmpty else { return [:] }
            return try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
        }

        func add(_ name: String = "Hook") async throws -> [String: Any] {
            let body = #"{"name":"\#(name)","address":"https://hooks.example/in?key=1","kinds":["email","file"]}"#
            return try await object("POST", "", body, 201)
        }
    }

    private static func withServer(_ body: (Client) async throws -> Void) async throws {
        let receiver = SampleReceiver()
        var options = ServerHarness.Options()
        options.webhooks = receiver
        let harness = try await ServerHarness(options)
        let token = try await harness.token(of: harness.people.ann)
        try await body(Client(harness: harness, receiver: receiver, token: token))
        try await harness.stop()
    }

    @Test func secretsAreGivenOnce() async throws {
        try await Self.withServer { client in
            let added = try await client.add()
            let (id, secret) = (try #require(added["id"] as? Int), try #require(added["secret"] as? String))
            #expect(WebhookSecret(secret) != nil && added["state"] as? String == "on")
            #expect(added["kinds"] as? [String] == ["file", "email"])
            let read = try await client.object("GET", "/\(id)")
            #expect(read["secret"] == nil && read["address"] as? String == "https://hooks.example/in?key=1")
            let renewed = try await client.object("POST", "/\(id)/secret")["secret"] as? String
            #expect(renewed != secret && renewed.flatMap { WebhookSecret($0) } != nil)
            #expect(try await client.object("GET", "/\(id)")["former_secret_until"] is Int)
            let list = try await client.object("GET", "")["webhooks"] as? [[String: Any]]
            #expect(list?.count == 1 && list?.first?["secret"] == nil)
        }
    }

    @Test(arguments: [
        (#"{"name":"H","address":"http://hooks.example/"}"#, "must be https"),
        (#"{"name":"H","address":"https://a:b@hooks.example/"}"#, "must be https"),
        (#"{"name":"H","address":"https://localhost/"}"#, "a private network"),
        (#"{"name":"H","address":"https://hooks.example:22/"}"#, "this port"),
        (#"{"name":"H","address":"https://hooks.example/","kinds":[]}"#, "at least one kind"),
        (#"{"name":"","address":"https://hooks.example/"}"#, "must not be empty"),
    ])
    func refusesWhatCannotBe(_ body: String, _ words: String) async throws {
        try await Self.withServer { client in
            let answer = try await client.object("POST", "", body, 400)
            #expect("\(answer)".contains(words), "\(answer)")
            _ = try await client.object("POST", "", #"{"name":"H","address":"https://h.example/","kinds":["x"]}"#, 400)
        }
    }

    @Test func testsShowTheAnswerAndCanGoAgain() async throws {
        try await Self.withServer { client in
            let id = try #require(try await client.add()["id"] as? Int)
            let good = try await client.object("POST", "/\(id)/test")
            #expect(good["state"] as? String == "delivered" && good["status"] as? Int == 204)
            #expect(good["type"] as? String == "webhook.test" && good["milliseconds"] as? Int == 12)
            client.receiver.answer(with: 500)
            let bad = try await client.object("POST", "/\(id)/test")
            #expect(bad["state"] as? String == "failed" && bad["problem"] as? String == "status")
            let delivery = try #require(bad["id"] as? Int)
            _ = try await client.object("POST", "/\(id)/deliveries/\(delivery)/send", nil, 204)
            let page = try await client.object("GET", "/\(id)/deliveries")
            let list = try #require(page["deliveries"] as? [[String: Any]])
            #expect(list.map { $0["attempts"] as? Int } == [2, 1] && page["next"] is NSNull)
            let marks = client.receiver.deliveries.map(\.delivery.mark)
            #expect(marks.count == 3 && marks[1] == marks[2])
            // A test stops nothing, and holds nothing up.
            #expect(try await client.object("GET", "/\(id)")["failures"] as? Int == 0)
        }
    }

    @Test func changesAndPausesIt() async throws {
        try await Self.withServer { client in
            let id = try #require(try await client.add()["id"] as? Int)
            let body = #"{"name":"New","address":"https://other.example/","kinds":["note"],"is_on":false}"#
            let changed = try await client.object("PATCH", "/\(id)", body)
            #expect(changed["name"] as? String == "New" && changed["state"] as? String == "off")
            #expect(changed["kinds"] as? [String] == ["note"])
            _ = try await client.object("PATCH", "/\(id)", #"{"address":"https://localhost/"}"#, 400)
            _ = try await client.add("Another")
            _ = try await client.object("PATCH", "/\(id)", #"{"name":"another"}"#, 409)
            _ = try await client.object("DELETE", "/\(id)", nil, 204)
            _ = try await client.object("GET", "/\(id)", nil, 404)
        }
    }

    @Test func isNotThereWhereItIsOff() async throws {
        var options = ServerHarness.Options()
        options.webhooks = nil
        let harness = try await ServerHarness(options)
        let response = try await harness.send(
            "GET", "/api/v1/webhooks", token: try await harness.token(of: harness.people.ann))
        #expect(response.status == 404 && response.text.contains("webhooks-off"))
        try await harness.stop()
    }
}
