import ArgumentParser
import FundCore
import FundStore
import Terminal

struct WebhookRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Forget webhooks, their secrets and their deliveries.",
        discussion: """
            Their receivers hear nothing any more.

            Example:
              fundmail webhook remove 12 13
            """)

    @Argument(help: "The numbers of the webhooks, as `list` shows them.") var ids: [Webhook.ID]
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        for id in ids {
            let owned = try await store.webhooks.removeWebhook(id, actor: Workspace.actor)
            try Console.line(TerminalText.clean("Removed the webhook \(owned.title)."))
        }
        try store.close()
    }
}
