import ArgumentParser

/// `webhook`: the addresses of people's programs that are told what changed.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "People's webhooks: which there are, and removing one.",
        discussion: """
            People add webhooks on the page of their account, and by the web API. Here an administrator sees which of \
            them fail, and removes one.

            Examples:
              fundmail webhook list --failing
              fundmail webhook remove 12
            """,
        subcommands: [WebhookListCommand.self, WebhookRemoveCommand.self])
}
