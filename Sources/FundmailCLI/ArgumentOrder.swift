import ArgumentParser

/// Lets the options that every command knows stand before the command, too.
enum ArgumentOrder {
    private static let globals = ["--config", "--store", "--log-level", "--log-format"]

    /// `--config F user add A` → `user add --config F A`. What is not one of them stays where it is, and so do they
    /// when no command follows.
    static func globalsLast(_ arguments: [String]) -> [String] {
        var held: [String] = []
        var path: [String] = []
        var command: any ParsableCommand.Type = Fundmail.self
        var rest = arguments[...]
        while let word = rest.first {
            if globals.contains(word), rest.count >= 2 {
                held += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if globals.contains(where: { word.hasPrefix($0 + "=") }) {
                held.append(word)
                rest = rest.dropFirst()
            } else if let next = command.configuration.subcommands.first(where: { names(of: $0).contains(word) }) {
                path.append(word)
                command = next
                rest = rest.dropFirst()
            } else {
                break
            }
        }
        // A group of commands shows its help; it has no use for them.
        return path + (command.configuration.subcommands.isEmpty ? held : []) + rest
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        (command.configuration.commandName.map { [$0] } ?? []) + command.configuration.aliases
    }
}
