import ArgumentParser

/// Downloads and uploads that outlive the command.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Downloads and uploads that go on after a crash, a restart or a lost network.",
        discussion: """
            Transfers stay in the queue of the account until they are done, whatever happens in between; `fund queue \
            run` does the work.

              fund queue add Fund1/2025 --to ~/Funds      files of a folder, into ~/Funds
              fund queue add --upload scan.pdf Fund1/2025 a file into a folder
              fund queue run                              until all is done
              fund queue list                             what there is, from another terminal
            """,
        subcommands: [
            QueueList.self, QueueAdd.self, QueuePause.self, QueueResume.self, QueueCancel.self, QueueRetry.self,
            QueueMove.self, QueueClear.self, QueueRun.self,
        ], defaultSubcommand: QueueList.self)
}
