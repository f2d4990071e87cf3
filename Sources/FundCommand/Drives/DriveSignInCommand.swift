import ArgumentParser
import FundClient
import Terminal

struct DriveSignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in anew to a store with a page of its own, such as Box.",
        discussion: """
            For a drive whose store refuses the login. The command prints the address of the page, and asks for the \
            code that it shows at the end.

            Example:
              fund drive sign-in Box
            """)

    @Argument(help: "The name or the number of the drive.")
    var drive: String

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let found = try await session.existingDrive(drive)
            let kept = try await DriveSignInDialog.finish(try await session.beginSignIn(to: found.id), session)
            if globals.json { return try JSONLine.write(kept) }
            try globals.say("You are signed in to the drive \(kept.name).")
        }
    }
}

/// Leads a person to the page of a store, and takes the code from them.
enum DriveSignInDialog {
    static func finish(_ signIn: DriveSignIn, _ session: Session) async throws -> Drive {
        // Beside the results: what reads them gets nothing else.
        Console.error("Open this page in a browser in which you are signed in here:\n\n")
        Console.error("  \(TerminalText.clean(signIn.address))\n\n")
        let code = try SecretInput.secrets(["The code that it shows"], file: nil).values.first ?? ""
        return try await session.finish(signIn, code: code)
    }
}
