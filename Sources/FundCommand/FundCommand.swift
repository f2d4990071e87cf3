import ArgumentParser
import Terminal

/// The root of all commands.
struct FundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fund", abstract: "Your funds from the command line: files, notes and mail.",
        discussion: """
            A path is FUND or FUND/FOLDER/FILE: `Fund1/Reports/q3.pdf`. Slashes at its ends, several in a row and `.` \
            make no difference; `..` is refused. Nothing is overwritten unless --replace is \
            given, and what is removed goes to the trash of the server.

            First steps:
              fund login https://funds.example.com ann@example.com
              fund ls
              fund get Fund1/Reports --to ~/Documents
              fund put letter.pdf Fund1/Reports

            Exit status: 0 done; 1 there is no such thing, or the name is taken; 64 usage; 69 the server cannot be \
            reached; 73 a file of this machine cannot be written; 75 try again later; 76 the server answers what this \
            program does not understand; 77 not signed in, or not allowed; 78 the file of accounts cannot be used.
            """,
        version: "fund \(Release.version)",
        subcommands: [
            LoginCommand.self, LogoutCommand.self, StatusCommand.self, ListCommand.self, GetCommand.self,
            PutCommand.self, MakeFolderCommand.self, MoveCommand.self, RemoveCommand.self, NoteCommand.self,
            MailCommand.self, NewsCommand.self, DriveCommand.self, SearchCommand.self, QueueCommand.self,
            SyncCommand.self, MCPCommand.self,
        ])
}
