import FundCore
import Synchronization

@testable import FundServer

/// A store with a page where people sign in, which takes the code `right`, and `other` of another account.
final class SampleSignIn: DriveSigningIn {
    /// The codes that came, with what proves them.
    let answers = Mutex<[DriveSignInAnswer]>([])

    func signInPage(of kind: DriveKind, _ request: DriveSignInRequest) throws -> String {
        guard kind == .box else { throw DriveError(.forbidden) }
        return "https://store.example/consent?state=\(request.state)&challenge=\(request.challenge)"
    }

    func settings(of kind: DriveKind, _ answer: DriveSignInAnswer) async throws -> DriveSettings {
        answers.withLock { $0.append(answer) }
        guard ["right", "other"].contains(answer.code) else { throw DriveError(.login) }
        return try DriveSettings(kind, [:], token: answer.code)
    }

    func isSameAccount(_ one: DriveSettings, _ other: DriveSettings) -> Bool { one.token == other.token }
}
