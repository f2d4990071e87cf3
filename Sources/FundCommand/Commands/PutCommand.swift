internal import ArgumentParser
internal import Foundation
internal import FundClient

struct PutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put", abstract: "Send files and folders.",
        discussion: """
            A folder goes with all that is in it; into one of the same name, if there is one. A single file may be given \
            another name. Links and special files are left out, and said.

            Examples:
              fund put letter.pdf Fund1
              fund put letter.pdf Fund1/Letters/2026-11-21.pdf
              fund put *.jpg Photos Fund1/Pictures
            """)

    @Argument(help: "Files and folders of this machine, and at the end where they go: FUND or FUND/FOLDER.")
    var words: [String]

    @OptionGroup var options: TransferOptions
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard words.count >= 2 else { throw ValidationError("Name a file and where it goes: FUND or FUND/FOLDER.") }
        guard words.last.flatMap(RemotePath.init(argument:)) != nil else {
            throw ValidationError("The last word must be FUND or FUND/FOLDER.")
        }
    }

    func run() async throws {
        guard let last = words.last, let target = RemotePath(argument: last) else { return }
        let sources = words.dropLast()
        try await globals.withSession { session in
            let progress = ProgressLine(isQuiet: globals.quiet)
            let plan = UploadPlan(session, replaces: options.replace)
            try await plan.add(Array(sources), to: target)
            plan.uploads.forEach { progress.expect(bytes: $0.upload.size) }
            let isJSON = globals.json
            let failure = await Parallel.forEach(plan.uploads, atMost: options.transfers) { planned in
                let file = try await planned.upload.run(session, progress)
                guard isJSON else { return }
                progress.clear()
                try JSONLine.write(
                    TransferLine(
                        from: planned.upload.path, to: "\(planned.path)", size: file.size, sha256: "\(file.digest)"))
            } failed: { planned, failure in
                progress.clear()
                Console.report(failure.about("\(planned.path)"))
            }
            progress.clear()
            (plan.remarks + plan.failures).forEach(Console.report)
            try globals.say(progress.summary("Sent"))
            if let failure = failure ?? plan.failures.first { throw ExitCode(failure.status.rawValue) }
        }
    }
}
