internal import FundCore
internal import Hummingbird

extension PageRoute {
    /// How the files are reached from other devices and programs.
    static let devicesRoutes: [PageRoute] = [
        .get("/account/devices") { call in
            let (user, drive) = (try call.user.email, DriveAddress(call))
            let model: PageModel = [
                "email": user, "server": drive.server, "url": drive.url, "isEncrypted": call.context.isEncrypted,
                "networkPath": drive.networkPath.orAbsent, "netUse": drive.netUse(by: user).orAbsent,
                "rclone": drive.rclone(by: user, password: "APP-PASSWORD"),
                "login": "fund login \(drive.server) \(user)",
            ]
            return call.page("devices", model, title: call.words("devices.title"))
        }
    ]
}
