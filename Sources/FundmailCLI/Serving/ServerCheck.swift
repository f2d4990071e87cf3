import FundCore
import FundStore

/// What `doctor` finds, for administrators of a running server: by the configuration of now, over its open store.
struct ServerCheck: SetupCheck {
    let workspace: Workspace
    let live: LiveConfiguration
    let store: FundStore

    func findings(asksServers: Bool) async -> [Finding] {
        let check = DoctorCheck(configuration: live.value, workspace: workspace) { store }
        return await check.findings(isOffline: !asksServers).all
    }
}
