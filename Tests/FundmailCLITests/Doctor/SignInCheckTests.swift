import DriveBridge
import FundCore
import Testing

@testable import FundmailCLI

/// Causes for which people cannot sign in to stores, as the log says at the start and `doctor` says.
struct SignInCheckTests {
    private static func rules(_ address: String, secretFile: String? = nil) -> DriveRules {
        var rules = DriveRules()
        rules.clients[.dropbox] = DriveClient(id: "canary-id", secretFile: secretFile)
        rules.signInAddress = "\(address)/library/drives/sign-in"
        return rules
    }

    @Test(arguments: [
        ("https://funds.corp.example", true), ("http://funds.corp.example", false),
        ("HTTP://funds.corp.example", false),
        ("http://localhost:8080", true), ("http://127.0.0.1", true), ("http://[::1]:8080", true),
        ("http://127.0.0.2:8080", true), ("http://localhost.corp.example", false),
        ("http://127.0.0.1.corp.example", false),
    ])
    func storesLeadBackToHTTPSAlone(_ address: String, isSafe: Bool) {
        let problems = SignInCheck.problems(of: Self.rules(address)) { _ in true }
        #expect(problems.isEmpty == isSafe)
        #expect(problems.allSatisfy { !$0.isFailure && $0.text.contains("Dropbox") && !$0.text.contains("canary") })
    }

    @Test
    func aSecretThatCannotBeReadIsNamed() {
        let rules = Self.rules("https://funds.corp.example", secretFile: "/run/secrets/dropbox")
        #expect(SignInCheck.problems(of: rules) { $0 == "/run/secrets/dropbox" }.isEmpty)
        let problems = SignInCheck.problems(of: rules) { _ in false }
        #expect(problems.map(\.isFailure) == [true])
        let beginning = "dropbox: client_secret_file /run/secrets/dropbox cannot be read"
        #expect(problems.first?.text.hasPrefix(beginning) == true)
        // Nothing is said where no store has a page for it.
        #expect(SignInCheck.problems(of: DriveRules()) { _ in false }.isEmpty)
    }
}
