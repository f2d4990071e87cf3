import ArgumentParser

/// The options of `serve` for a demo.
struct DemoOptions: ParsableArguments {
    @Flag(
        name: .customLong("demo"),
        help: "Show a made-up office, without a configuration, a store or a mailbox of yours."
    )
    var isOn = false

    @Option(
        name: .customLong("demo-listen"),
        help: ArgumentHelp(
            "Where the demo listens (default: \(Self.usualPlace)); port 0 lets the system choose.",
            valueName: "host:port"))
    var listen: String?

    @Flag(
        name: .customLong("demo-public"),
        help: "Let the demo listen beyond this machine, unencrypted: whoever reaches it may sign in.")
    var isPublic = false

    static let usualPlace = "127.0.0.1:8080"

    /// Where the demo listens.
    var server: ServerConfiguration {
        get throws {
            let text = listen ?? Self.usualPlace
            guard let place = ServerConfiguration.place(text) else {
                throw ValidationError("--demo-listen \(text): write an address and a port, as in \(Self.usualPlace)")
            }
            var server = ServerConfiguration()
            (server.host, server.port) = place
            server.isPlainAllowed = isPublic
            return server
        }
    }

    /// Throws `ValidationError` for what does not go together.
    func check(beside globals: GlobalOptions) throws {
        guard isOn else {
            if listen != nil || isPublic { throw ValidationError("--demo-listen and --demo-public belong to --demo") }
            return
        }
        guard globals.words.isEmpty else {
            throw ValidationError("--demo makes a store of its own; leave out --config and --store")
        }
        guard try server.isLoopback || isPublic else {
            throw ValidationError(
                "--demo-listen \(listen ?? ""): strangers may reach the demo there, and sign in; say --demo-public if "
                    + "they shall")
        }
    }
}
