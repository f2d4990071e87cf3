import ArgumentParser
import FundClient
import Terminal

struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Sign out.",
        discussion: """
            Ends the session on the server, and forgets it here, also when the server cannot be reached.

            Example:
              fund logout --account ann@example.com
            """)

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            do {
                try await session.signOut()
            } catch {
                let failure = CommandError(error)
                let isKept = (error as? ClientError).map { [.local, .noSpaceHere].contains($0.code) } ?? false
                let words =
                    isKept
                    ? "The session could not be forgotten here."
                    : "The session was forgotten here, but not ended there."
                throw CommandError(failure.status, "\(words) \(failure.message)")
            }
            try globals.say("Signed out from \(session.account.server).")
        }
    }
}
