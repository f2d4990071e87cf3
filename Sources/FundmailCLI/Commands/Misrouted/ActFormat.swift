import ArgumentParser

/// Output format of the commands that act about kept messages.
struct ActFormat: ParsableArguments {
    @Flag(help: "Print one JSON object a message, and one with the counts.") var json = false
}
