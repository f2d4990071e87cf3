import FundCore
import TestSupport
import Testing

/// Secrets and signatures as Standard Webhooks has them.
struct WebhookSecretTests {
    /// The vector that the libraries of Standard Webhooks share.
    @Test func signsAsTheLibrariesOfTheStandardDo() throws {
        let secret = try #require(WebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
        let signature = secret.signature(
            of: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Timestamp(1_614_265_330), #"{"test": 2432232314}"#)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test func newOnesAreReadBackAndDiffer() throws {
        let (one, other) = (WebhookSecret.make(), WebhookSecret.make())
        #expect(one != other && WebhookSecret(one.text) == one)
        // Some receivers do not take padding, and some ask for it.
        #expect(!one.text.contains("=") && one.text.dropFirst("whsec_".count).utf8.count % 4 == 0)
    }

    @Test(arguments: ["", "whsec_", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_AAAA", "whsec_!"])
    func refusesOthers(_ text: String) { #expect(WebhookSecret(text) == nil) }

    @Test func haveTheLengthsOfTheStandard() {
        let areTaken = [23, 24, 64, 65].map { WebhookSecret(bytes: Array(repeating: 1, count: $0)) != nil }
        #expect(areTaken == [false, true, true, false])
    }
}
