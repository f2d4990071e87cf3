import ArgumentParser
import FundCore
import FundStore
import MailSend
import Terminal

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, store, disk, parser and mail servers.",
        discussion: """
            Logs in to every mailbox and checks certificate, folder, abilities and the trust of the newest messages; \
            logs in to the server for outgoing mail and asks whether it takes the sender. Changes nothing, here or \
            there, and sends nothing but what --send asks for. A bucket is tried with a few small objects that are \
            gone afterwards. Exit status: 0 when all is well or there are only \
            warnings, else that of the first failure; 69 a server cannot be reached or refuses the login or the \
            letter; 75 it may take the letter later.

            Examples:
              fundmail doctor
              fundmail doctor --offline
              fundmail doctor --send ann@example.com
            """)

    @Flag(help: "Connect to no server.")
    var offline = false

    @Option(
        help: ArgumentHelp("Send a letter to this address, and say what became of it.", valueName: "address"),
        transform: { text in
            do { return try OutgoingAddress(text, field: "it") } catch { throw ValidationError("\(error)") }
        })
    var send: OutgoingAddress?

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        if offline, send != nil { throw ValidationError("--offline connects to no server; leave it or --send out") }
    }

    func run() async throws {
        var findings = DoctorFindings()
        do {
            let workspace = try Workspace(globals)
            let check = DoctorCheck(configuration: workspace.configuration, workspace: workspace) {
                try workspace.openStore(.readOnly)
            }
            findings = await check.findings(isOffline: offline, sendingTo: send)
        } catch {
            findings.fail(.configuration, CommandError(error))
        }
        try Console.write(findings.rendered)
        if let status = findings.status { throw ExitCode(status.rawValue) }
    }
}
