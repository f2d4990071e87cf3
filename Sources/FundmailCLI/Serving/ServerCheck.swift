import FundCore
import FundStore

/// The check-up of `doctor` for administrators of a running server: by its current configuration, over its open store.
struct ServerCheck: SetupCheck {
    let workspace: Workspace
    let live: LiveConfiguration
    let store: FundStore

    func findings(asksServers: Bool) async -> [Finding] {
        let check = DoctorCheck(configuration: live.value, workspace: workspace) { store }
        return await check.findings(isOffline: !asksServers).all
    }
}
