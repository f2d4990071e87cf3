import ArgumentParser

/// `mailbox`: how the polled mailboxes are doing.
struct MailboxCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mailbox", abstract: "See how the mailboxes are doing.", subcommands: [Status.self])
}
