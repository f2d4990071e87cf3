import ArgumentParser
import Foundation
import FundClient
import Terminal

struct PutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Upload files and folders.",
        discussion: """
            Uploads files, and folders with everything in them; a folder goes into one of the same name, if there is \
            one. A single file may be given another name; with a slash at its end, the last word is an existing \
            folder. Links and special files are left out and named. After a crash, the same command or `fund queue \
            run` goes on.

            Examples:
              fund put letter.pdf Fund1
              fund put letter.pdf Fund1/Letters/2026-11-21.pdf
              fund put *.jpg Photos Fund1/Pictures
            """)

    @Argument(help: "Files and folders of this machine, and at the end the target: FUND or FUND/FOLDER.")
    var words: [String]

    @OptionGroup var options: TransferOptions
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Name a file and where it goes: FUND or FUND/FOLDER.") }
        _ = try target()
    }

    private func target() throws -> RemotePath { try RemotePath(words.last ?? "") }

    func run() async throws {
        let target = try target()
        let sources = words.dropLast()
        try await globals.withSession { session in
            let plan = UploadPlan(session, replaces: options.replace)
            try await plan.add(Array(sources), to: target)
            (plan.remarks + plan.failures).forEach { $0.report() }
            let transfers = CommandTransfers(session: session, globals: globals, options: options)
            let failure = try await transfers.run(plan.uploads, "Sent")
            if let failure = plan.failures.first ?? failure { throw ExitCode(failure.status.rawValue) }
        }
    }
}
