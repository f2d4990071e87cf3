/// Services of the program around the server for the set-up of a store.
package struct SetupParts: Sendable {
    /// Nil: the store had an administrator when the program was started.
    package var code: SetupCode?
    /// Tests a mailbox, and writes it into the configuration. The flag says that it is kept although the test fails.
    /// Asks whether it still may before it writes: the test takes seconds.
    package var addMailbox:
        @Sendable (MailboxProposal, _ isKeptAnyway: Bool, _ isAllowed: @Sendable () async -> Bool) async ->
            MailboxAnswer
    package var hasMailboxes: @Sendable () -> Bool
    /// Tests the server for letters, and writes it into the configuration; with the same flag and question.
    package var addLetterServer:
        @Sendable (LetterServerProposal, _ isKeptAnyway: Bool, _ isAllowed: @Sendable () async -> Bool) async ->
            LetterServerAnswer

    /// Without a configuration that could be changed.
    /// - Parameter why: the reason, a sentence in English.
    package init(why: String = "This program was started without a configuration.") {
        addMailbox = { _, _, _ in .byHand(why: why, lines: "", []) }
        addLetterServer = { _, _, _ in .byHand(why: why, lines: "", []) }
        hasMailboxes = { true }
    }
}
