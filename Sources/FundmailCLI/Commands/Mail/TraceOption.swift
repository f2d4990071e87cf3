import ArgumentParser

/// `--trace`, for commands that talk to mail servers.
struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append what is said to mail servers, without secrets and messages.", valueName: "file"))
    var trace: String?

    func open() throws -> TraceFile? { try trace.map { try TraceFile($0) } }
}
