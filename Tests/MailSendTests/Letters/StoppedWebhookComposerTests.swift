import FundCore
import TestSupport
import Testing

@testable import MailSend

/// The letter about a webhook that was stopped.
struct StoppedWebhookComposerTests {
    private static func facts(
        _ problem: WebhookProblem, name: String = "Build", detail: String? = nil, language: PersonLanguage? = nil
    ) -> LetterFacts {
        .webhook(
            StoppedWebhookFacts(
                recipient: NotificationRecipient(user: 7, name: "Ann Archer", language: language), webhook: 3,
                name: name, host: "hooks.example", problem: problem, detail: detail))
    }

    @Test func tellsWhyAndWhatToDo() async throws {
        let message = try await ReceiptComposerTests.message(Self.facts(.gone, detail: "status 410"), .webhook(9))
        #expect(message.subject == "Webhook stopped: Build" && message.origin == .generated)
        #expect(message.to == [Correspondent(name: "Ann Archer", address: TestLetter.recipient)])
        #expect(
            message.text == """
                Your webhook “Build” (hooks.example) was stopped: its program wants no messages any more (status 410).

                What changes in your funds is kept for it, and it is told all of that once you turn it on again.
                https://funds.corp.example/account/webhooks/3

                Fundmail wrote this letter by itself.

                """)
    }

    @Test(arguments: WebhookProblem.allCases)
    func isWrittenInTheLanguageOfThePerson(_ problem: WebhookProblem) async throws {
        let message = try await ReceiptComposerTests.message(
            Self.facts(problem, name: "a\nBcc: x", language: .zh), .webhook(9), pages: nil)
        #expect(message.subject == "Webhook 已停止：a Bcc: x")
        #expect(message.text.hasPrefix("您的 Webhook“a Bcc: x”（hooks.example）已停止：") && !message.text.contains("http"))
        #expect(message.text.contains("新密钥") == (problem == .secret))
    }
}
