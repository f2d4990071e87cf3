import ArgumentParser

/// Options of the commands that load and send files.
struct TransferOptions: ParsableArguments {
    @Flag(help: "Overwrite files of the same name.")
    var replace = false

    @Option(help: ArgumentHelp("The number of files at a time.", valueName: "count"))
    var transfers = 4

    func validate() throws {
        guard (1...64).contains(transfers) else { throw ValidationError("--transfers must be from 1 to 64.") }
    }
}

/// A file that was loaded or sent, as `--json` shows it.
struct TransferLine: Encodable {
    var from: String
    var to: String
    var size: Int64
    var sha256: String
}
