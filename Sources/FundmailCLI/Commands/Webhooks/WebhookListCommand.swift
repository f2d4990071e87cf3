import ArgumentParser
import FundCore
import FundStore
import Terminal

struct WebhookListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the webhooks of all people.",
        discussion: """
            A webhook fails when the last attempt to deliver did. After two days of failures, or when its receiver \
            says that it is gone, it is stopped until its owner turns it on.

            Examples:
              fundmail webhook list --failing
              fundmail webhook list --json
            """)

    @Flag(help: "Only webhooks that fail or are stopped.") var failing = false
    @Flag(help: "Print one JSON object a line.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore(.readOnly)
        let webhooks = try await ListPage.all { try await store.webhooks.allWebhooks($0) }
            .filter { !failing || $0.isFailing }
        try Listing(
            items: webhooks, ifEmpty: failing ? "No webhook fails." : "There is no webhook.",
            columns: [
                .number("ID"), .shrinking("OWNER"), .shrinking("NAME"), .shrinking("HOST"), "STATE", "ADDED",
                .shrinking("PROBLEM"),
            ],
            row: { owned in
                let webhook = owned.webhook
                return [
                    "\(webhook.id)", owned.owner, webhook.name, webhook.address.host, webhook.state.rawValue,
                    Clock.local(webhook.addedAt), owned.problemText,
                ]
            },
            fields: { json, owned in
                let webhook = owned.webhook
                json.field("id", webhook.id.rawValue)
                json.field("owner", owned.owner)
                json.field("name", webhook.name)
                json.field("host", webhook.address.host)
                json.field("kinds", ItemKind.allCases.filter(webhook.kinds.contains).map(\.name))
                json.field("state", webhook.state.rawValue)
                json.field("added_at", Clock.timestamp(webhook.addedAt))
                json.field("failures", webhook.failures)
                json.field("problem", webhook.problem?.rawValue)
                json.field("detail", webhook.detail)
            }
        ).write(json: json)
    }
}
