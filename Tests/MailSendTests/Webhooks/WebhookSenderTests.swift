import FundCore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// Deliveries to receivers that behave in all kinds of ways.
struct WebhookSenderTests {
    private static let secrets = [WebhookSecret.make(), WebhookSecret.make()]

    private static func delivery(_ address: String, _ secrets: [WebhookSecret] = secrets) throws -> OutgoingDelivery {
        let webhook = Webhook(
            id: Webhook.ID(1), user: User.ID(1), name: "Hook", address: try #require(WebhookAddress(address)),
            kinds: [.note], state: .on, addedAt: .now)
        let delivery = WebhookDelivery(
            id: WebhookDelivery.ID(1), webhook: webhook.id, mark: "msg_1", event: .test, changes: 0, state: .pending,
            attempts: 0, addedAt: .now, attemptedAt: nil, status: nil, problem: nil, milliseconds: nil)
        return OutgoingDelivery(
            delivery: delivery, webhook: webhook, body: WebhookEvent.test.body(of: webhook.id, at: .now),
            secrets: secrets)
    }

    private static func sender(_ hosts: [String], limit: Duration = .seconds(600)) -> WebhookSender {
        var rules = WebhookRules()
        rules.privateHosts = hosts.compactMap { AllowedHost($0) }
        return WebhookSender(rules, cancellation: Cancellation(), attemptTime: limit) { Timestamp(1_764_547_200) }
    }

    private static func attempt(
        _ receiver: LoopbackWeb, limit: Duration = .seconds(600)
    ) async throws -> WebhookAttempt {
        try await sender(["127.0.0.1:\(receiver.port)"], limit: limit)
            .send(try delivery("http://127.0.0.1:\(receiver.port)/in?key=1"))
    }

    @Test func sendsWhatReceiversOfTheStandardVerify() async throws {
        let receiver = try LoopbackWeb { _ in .status(202) }
        let attempt = try await Self.attempt(receiver)
        #expect(attempt.status == 202 && attempt.problem == nil && attempt.detail == nil)
        let request = try #require(receiver.requests.first)
        #expect(request.method == "POST" && request.path == "/in?key=1")
        #expect(request.fields["content-type"] == "application/json")
        #expect(request.fields["webhook-id"] == "msg_1" && request.fields["webhook-timestamp"] == "1764547200")
        let signatures = Self.secrets.map { $0.signature(of: "msg_1", at: Timestamp(1_764_547_200), request.body) }
        #expect(request.fields["webhook-signature"] == signatures.joined(separator: " "))
        #expect(request.fields["cookie"] == nil && request.fields["authorization"] == nil)
    }

    @Test(arguments: [
        (301, WebhookProblem.redirect), (302, .redirect), (307, .redirect), (400, .status), (404, .status),
        (410, .gone), (429, .status), (500, .status), (503, .status),
    ])
    func otherAnswersAreFailures(_ status: Int, _ problem: WebhookProblem) async throws {
        let elsewhere = try LoopbackWeb { _ in .status(200) }
        let receiver = try LoopbackWeb { _ in
            .status(status, ("Location", "http://127.0.0.1:\(elsewhere.port)/"), ("Retry-After", "120"))
        }
        let attempt = try await Self.attempt(receiver)
        #expect(attempt.status == status && attempt.problem == problem && attempt.detail == "status \(status)")
        #expect(attempt.retryAfter == .seconds(120))
        #expect(receiver.requests.count == 1 && elsewhere.requests.isEmpty)
    }

    @Test func aReceiverThatSaysNothingEndsInTime() async throws {
        let receiver = try LoopbackWeb { _ in .hangs }
        let attempt = try await Self.attempt(receiver, limit: .milliseconds(200))
        #expect(attempt.problem == .tooSlow && attempt.status == nil)
    }

    /// The status says what became of a delivery, however much comes behind it.
    @Test(arguments: [(200, WebhookProblem?.none), (410, .gone), (500, .status)])
    func anEndlessAnswerEnds(_ status: Int, _ problem: WebhookProblem?) async throws {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 10_000)
        let receiver = try LoopbackWeb { _ in LoopbackWeb.Answer(status: status, body: body, framing: .endless) }
        let attempt = try await Self.attempt(receiver)
        #expect(attempt.status == status && attempt.problem == problem)
    }

    @Test func aPortWithoutAServerIsUnreachable() async throws {
        let port = try LoopbackWeb { _ in .status(200) }.port
        let sender = Self.sender(["127.0.0.1:\(port)"])
        let attempt = try await sender.send(try Self.delivery("http://127.0.0.1:\(port)/"))
        #expect(attempt.problem == .unreachable)
    }

    /// Addresses that are no one's but this network's are not dialled, whatever name leads to them.
    @Test(arguments: [
        "http://127.0.0.1:%port%/", "http://localhost:%port%/", "https://10.0.0.1/", "https://169.254.169.254/latest",
        "https://[::1]:8443/", "https://192.168.1.1/", "https://0x7f000001/", "https://[::ffff:10.0.0.1]/",
    ])
    func privateAddressesAreRefused(_ text: String) async throws {
        let receiver = try LoopbackWeb { _ in .status(200) }
        let address = text.replacing("%port%", with: "\(receiver.port)")
        // Another port and another name of this machine are allowed.
        let sender = Self.sender(["127.0.0.1:1", "hooks.example"])
        let attempt = try await sender.send(try Self.delivery(address))
        #expect(attempt.problem == .privateAddress && receiver.requests.isEmpty)
    }

    /// The name is public as far as it can be seen, and its address is not: it is judged when it is dialled.
    @Test func aNameThatLeadsToThisMachineIsRefused() async throws {
        let receiver = try LoopbackWeb { _ in .status(200) }
        let sender = Self.sender([])
        let name = try #require(WebhookAddress("https://localhost.localdomain:8443/"))
        #expect(sender.problem(with: name) == nil)
        let attempt = try await sender.send(try Self.delivery(name.text))
        // Where no resolver knows the name there is nothing to be dialled.
        #expect(attempt.problem == .privateAddress || attempt.problem == .unreachable)
        #expect(receiver.requests.isEmpty)
    }

    @Test func portsOfOtherServersAreRefused() async throws {
        let sender = Self.sender(["hooks.example:9000"])
        let problems = try ["https://a.example:22/", "https://a.example/", "https://hooks.example:9000/"].map {
            sender.problem(with: try #require(WebhookAddress($0)))
        }
        #expect(problems == [.forbidden, nil, nil])
    }

    @Test func withoutASecretNothingIsSent() async throws {
        let receiver = try LoopbackWeb { _ in .status(200) }
        let sender = Self.sender(["127.0.0.1:\(receiver.port)"])
        let attempt = try await sender.send(try Self.delivery("http://127.0.0.1:\(receiver.port)/", []))
        #expect(attempt.problem == .secret && receiver.requests.isEmpty)
    }

    /// The end of the program is no failure of the receiver.
    @Test func anAttemptThatIsCancelledTellsNothing() async throws {
        let receiver = try LoopbackWeb { _ in .hangs }
        let cancellation = Cancellation()
        var rules = WebhookRules()
        rules.privateHosts = [AllowedHost("127.0.0.1:\(receiver.port)")].compactMap { $0 }
        let sender = WebhookSender(rules, cancellation: cancellation, attemptTime: .seconds(600))
        let delivery = try Self.delivery("http://127.0.0.1:\(receiver.port)/")
        let attempt = Task { try await sender.deliver(delivery) }
        try await eventually { !receiver.requests.isEmpty }
        cancellation.cancel()
        await #expect(throws: CancellationError.self) { _ = try await attempt.value }
    }
}
