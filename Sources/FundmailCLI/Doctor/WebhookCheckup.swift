import FundCore
import FundStore
import MailSend
import Terminal

/// Names the webhooks of people that do not work. Asks no receiver.
enum WebhookCheckup {
    /// Webhooks that are named at most.
    private static let maxNamed = 20

    /// Throws `StoreError`.
    /// - Parameter rules: nil where webhooks are off.
    static func findings(
        _ store: FundStore, _ rules: WebhookRules?, fileIsReadable: (String) -> Bool
    ) async throws -> DoctorFindings {
        var findings = DoctorFindings()
        guard let rules else {
            findings.ok(.webhooks, "off: nothing is delivered, and there are no pages of webhooks (`webhooks: off`)")
            return findings
        }
        if let file = rules.authorityFile, !fileIsReadable(file) {
            findings.fail(.webhooks, CommandError(.configuration, "tls_ca_file \(file) cannot be read"))
        }
        let failing = try await store.webhooks.failingWebhooks(atMost: maxNamed + 1)
        for owned in failing.prefix(maxNamed) {
            findings.warn(.webhooks, TerminalText.clean("\(owned.title): \(owned.problemText)"))
        }
        if failing.count > maxNamed {
            findings.warn(.webhooks, "there are more webhooks that fail; `fundmail webhook list --failing` names all")
        }
        let figures = try await store.webhooks.webhookFigures()
        if failing.isEmpty, figures.on > 0 { findings.ok(.webhooks, "\(figures.on) are on, and none fails") }
        return findings
    }
}

extension OwnedWebhook {
    /// The name, the owner and the host, which tell webhooks of people apart. The rest of the address may be a secret.
    var title: String { "\(webhook.name) of \(owner) (\(webhook.address.host))" }

    /// The problem of the last attempt, and what follows of it; empty for none.
    var problemText: String {
        let problem = webhook.problem.map { [$0.text, webhook.detail].compactMap { $0 }.joined(separator: ", ") }
        guard webhook.state == .stopped else { return problem ?? "" }
        return "stopped until its owner turns it on" + (problem.map { ": \($0)" } ?? "")
    }
}
