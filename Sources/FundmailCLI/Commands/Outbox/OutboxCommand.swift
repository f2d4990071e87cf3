import ArgumentParser

/// `outbox`: letters on their way out, and what became of them.
struct OutboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "outbox", abstract: "Letters that go out: receipts for mail that came.",
        discussion: """
            With `smtp:` in the configuration, `fundmail serve` hands letters to that server. A letter that it does \
            not take for now is tried again after 1, 5, 15 and 60 minutes, then every 4 hours, for 2 days. A letter \
            that fails waits here until it is sent anew or dropped.

            Examples:
              fundmail outbox list
              fundmail outbox show 12
              fundmail outbox retry --state failed
              fundmail outbox drop 12 13
            """,
        subcommands: [
            OutboxListCommand.self, OutboxShowCommand.self, OutboxRetryCommand.self, OutboxDropCommand.self,
        ])
}
