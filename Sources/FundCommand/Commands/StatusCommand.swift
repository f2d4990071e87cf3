import ArgumentParser
import Foundation
import FundClient
import Terminal

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show where you are signed in, and whether the session still holds.",
        discussion: """
            Asks each server, or the one of --account. The exit status is that of the first account with which \
            something is wrong. ROOM is how much your files take there, and may take.

            Example:
              fund status
            """)

    @OptionGroup var globals: GlobalOptions

    private struct Line: Encodable {
        var email: String
        var server: String
        var isDefault: Bool
        var state: String
        /// By so many seconds the server's clock is ahead of this one.
        var clockDifference: Int64?
        /// See `StorageRoom`.
        var usedBytes: Int64?
        var quotaBytes: Int64?
    }

    func run() async throws {
        let entries =
            globals.choice.account == nil ? try globals.choice.accounts.entries() : [try globals.choice.entry()]
        guard !entries.isEmpty else {
            throw CommandError(.denied, "You are not signed in. Sign in with `fund login URL EMAIL`.")
        }
        var failure: CommandError?
        var lines: [Line] = []
        for entry in entries {
            var line = Line(
                email: entry.account.email, server: "\(entry.account.server)", isDefault: entry.isDefault,
                state: "signed in")
            do {
                let transport = try AsyncHTTPTransport(
                    .init(authorityFile: entry.authorityFile, proxy: ProxyChoice.proxy(for: entry.account.server)))
                let session = Session(
                    account: entry.account, credentials: globals.choice.accounts, transport: transport, retries: .never)
                let answer = await Result { () async throws(ClientError) in try await session.room() }
                await transport.shutdown()
                line.clockDifference = session.clock.difference.map(\.components.seconds)
                let room = try answer.get()
                (line.usedBytes, line.quotaBytes) = (room.usedBytes, room.quotaBytes)
            } catch {
                let error = CommandError((error as? TransportError).map { ClientError($0) } ?? error)
                line.state = error.message
                failure = failure ?? error
            }
            lines.append(line)
        }
        try Listing(
            items: lines, ifEmpty: "", columns: ["ACCOUNT", "SERVER", .shrinking("STATE"), "ROOM", "CLOCK"]
        ) { line in
            [
                line.email + (line.isDefault ? " *" : ""), line.server, line.state,
                Self.room(line.usedBytes, line.quotaBytes), Self.words(line.clockDifference),
            ]
        }.write(json: globals.json)
        if let failure { throw ExitCode(failure.status.rawValue) }
    }

    private static func room(_ used: Int64?, _ quota: Int64?) -> String {
        guard let used else { return "" }
        let text = "\(Quantity.display(bytes: used)) used"
        return quota.map { "\(text) of \(Quantity.display(bytes: $0))" } ?? text
    }

    /// Only where people would call the clocks different.
    private static func words(_ difference: Int64?) -> String {
        guard let difference, abs(difference) >= 5 else { return "" }
        return "server is \(Quantity.display(seconds: Double(abs(difference)))) \(difference > 0 ? "ahead" : "behind")"
    }
}

extension Result where Failure == ClientError {
    /// The result or the error of an asynchronous body.
    fileprivate init(_ body: () async throws(ClientError) -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}
