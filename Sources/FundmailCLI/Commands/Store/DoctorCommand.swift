import ArgumentParser
import FundCore
import FundStore
import Terminal

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, store, disk, parser and mail servers.",
        discussion: """
            Logs in to every mailbox and checks certificate, folder, abilities and the trust of the newest messages. \
            Changes nothing, here or there. Exit status: 0 when all is well or there are only warnings, else that of \
            the first failure; 69 a mailbox cannot be reached or refuses the login.

            Examples:
              fundmail doctor
              fundmail doctor --offline
            """)

    @Flag(help: "Connect to no mail server.")
    var offline = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        var findings = DoctorFindings()
        do {
            let workspace = try Workspace(globals)
            let check = DoctorCheck(configuration: workspace.configuration, workspace: workspace) {
                try workspace.openStore(.readOnly)
            }
            findings = await check.findings(isOffline: offline)
        } catch {
            findings.fail(.configuration, CommandError(error))
        }
        try Console.write(findings.rendered)
        if let status = findings.status { throw ExitCode(status.rawValue) }
    }
}
