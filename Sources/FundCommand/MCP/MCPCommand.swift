import ArgumentParser
import FundClient
import Glibc
import Terminal

struct MCPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an assistant's program read your funds (Model Context Protocol).",
        discussion: """
            Programs with a language model start it and talk to it over its standard input and output. It lists, \
            searches and reads funds, mail, notes and files of the account; it changes nothing, and sends the server \
            nothing but requests to read. It ends with its input.

            Whatever is read goes to the program that started it, and from there to whatever model it uses. Mail and \
            files may hold text that tries to instruct the model: all of it is marked as untrusted.

            Give it an app password that only reads, by FUND_APP_PASSWORD or a file: under Account, App passwords, \
            choose “Only read”. It opens nothing else, also where another program gets hold of it, and is taken back \
            there. Without one the session of `fund login` is used.

            Example, as such programs want it:
              {"mcpServers": {"fundmail": {"command": "fund",
                "args": ["mcp", "--server", "https://funds.example.com"],
                "env": {"FUND_APP_PASSWORD": "7k2m-…"}}}}
            """)

    /// Longest line that a client may send; calls of tools are short.
    private static let maxLineBytes = 1 << 20

    @OptionGroup var source: MCPSource

    func run() async throws {
        if isatty(STDIN_FILENO) == 1 {
            Console.error("fund mcp waits for lines of JSON-RPC from a program; Ctrl-D ends it.\n")
        }
        try await source.withSession { session in
            let server = MCPServer(FundService(session: session)) { try Console.write($0) }
            let input = LineInput(STDIN_FILENO, maxBytes: Self.maxLineBytes)
            do {
                while let line = try await input.next() { try await server.take(line) }
            } catch let failure as LineInput.Failure {
                throw CommandError(
                    .input, "The standard input cannot be read: \(String(cString: strerror(failure.number))).")
            }
            await server.finish()
        }
    }
}
