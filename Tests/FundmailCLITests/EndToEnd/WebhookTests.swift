import Foundation
import FundCore
import TestSupport
import Testing

/// A note becomes a signed message at a receiver, through the installed program, which is killed meanwhile.
@Suite(.startsPrograms)
struct WebhookTests {
    private struct Client {
        let server: FundmailServer
        var token = ""

        func object(_ method: String, _ path: String, _ body: String? = nil) async throws -> [String: Any] {
            var words = ["curl", "-sS", "-f", "-X", method, "\(server.url)/api/v1\(path)"]
            if !token.isEmpty { words += ["-H", "Authorization: Bearer \(token)"] }
            if let body { words += ["-H", "Content-Type: application/json", "-d", body] }
            let text = try await offPool { [words] in try ToolRun.output(words) }
            return try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] ?? [:]
        }

        mutating func signIn() async throws {
            let body = #"{"username":"\#(FundmailServer.user)","password":"\#(FundmailServer.password)"}"#
            token = try #require(try await object("POST", "/session", body)["token"] as? String)
        }
    }

    @Test func aChangeArrivesSignedAlsoAfterAKill() async throws {
        let isOpen = Flag()
        let receiver = try LoopbackWeb { _ in isOpen.isRaised ? .status(204) : .hangs }
        let server = try await FundmailServer(
            sections: ["webhooks: {private_hosts: [\"127.0.0.1:\(receiver.port)\"]}"])
        var client = Client(server: server)
        try await client.signIn()
        let added = try await client.object(
            "POST", "/webhooks", #"{"name":"Hook","address":"http://127.0.0.1:\#(receiver.port)/in"}"#)
        let secret = try #require((added["secret"] as? String).flatMap { WebhookSecret($0) })
        _ = try await client.object("POST", "/funds", #"{"name":"Webhooks"}"#)
        try await eventually { !receiver.requests.isEmpty }
        // The receiver has it, and no answer came.
        try await server.kill()
        isOpen.raise()
        try await server.start()
        try await eventually { receiver.requests.count >= 2 }
        let (first, again) = (receiver.requests[0], receiver.requests[1])
        #expect(first.fields["webhook-id"] == again.fields["webhook-id"] && first.body == again.body)
        #expect(again.path == "/in" && again.body.contains(#""type":"fund""#))
        let time = try #require(again.fields["webhook-timestamp"].flatMap { Int64($0) })
        let mark = try #require(again.fields["webhook-id"])
        #expect(again.fields["webhook-signature"] == secret.signature(of: mark, at: Timestamp(time), again.body))
        let id = try #require(added["id"] as? Int)
        try await eventually {
            let list = try await client.object("GET", "/webhooks/\(id)/deliveries")["deliveries"] as? [[String: Any]]
            return list?.first?["state"] as? String == "delivered"
        }
        try await server.stop()
    }
}
