import Dispatch
import DriveBridge
import FundCore
import FundStore
import Terminal

/// Looks at whether drives can be used here as the configuration says. Asks no store.
enum DriveCheckup {
    static func findings(_ rules: DriveRules, fileIsReadable: (String) -> Bool) async -> DoctorFindings {
        var findings = DoctorFindings()
        if let file = rules.authorityFile, !fileIsReadable(file) {
            findings.fail(.drives, CommandError(.configuration, "tls_ca_file \(file) cannot be read"))
        }
        for problem in SignInCheck.problems(of: rules, fileIsReadable: fileIsReadable) {
            if problem.isFailure {
                findings.fail(.drives, CommandError(.configuration, problem.text))
            } else {
                findings.warn(.drives, problem.text)
            }
        }
        for (kind, client) in rules.clients.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let file = client.secretFile, fileIsReadable(file) else { continue }
            let key = "\(kind.rawValue): client_secret_file"
            for problem in SecretFileCheck.problems(with: file, key: key) { findings.warn(.drives, problem) }
        }
        if let problem = await DispatchQueue.runAlone("fundmail.doctor.drives", { DriveConfinement.problem() }) {
            let text = "they are off: \(TerminalText.clean(problem))"
            findings.fail(.drives, CommandError(.unavailable, text))
        } else if findings.status == nil {
            findings.ok(.drives, "\(kinds(rules)), \(hosts(rules)); each process reaches nothing else")
        }
        return findings
    }

    /// Drives that are named at most.
    private static let maxNamed = 20

    /// Names the drives of people that do not work. Asks no store but this program's own. Throws `StoreError`.
    static func failing(_ store: FundStore) async throws -> DoctorFindings {
        var findings = DoctorFindings()
        let failing = try await store.drives.failingDrives(atMost: maxNamed + 1)
        for owned in failing.prefix(maxNamed) {
            let name = TerminalText.clean("\(owned.drive.name) of \(owned.owner) (\(owned.drive.host))")
            findings.warn(.drives, "\(name): \(owned.problemText)")
        }
        if failing.count > maxNamed {
            findings.warn(.drives, "there are more drives that fail; `fundmail drive list --failing` names all")
        }
        return findings
    }

    private static func kinds(_ rules: DriveRules) -> String {
        rules.kinds == DriveRules.offered
            ? "all kinds without sign-in pages" : rules.kinds.map(\.title).sorted().joined(separator: ", ")
    }

    private static func hosts(_ rules: DriveRules) -> String {
        let named = rules.hosts.isEmpty ? ["all public hosts"] : rules.hosts.map(\.description)
        return (named + rules.privateHosts.map { "\($0), which may be private" }).joined(separator: ", ")
    }
}
