internal import FundCore
internal import Hummingbird

/// A new app password, and what to type with it into the programs that open the library as a drive.
struct AppPasswordCard {
    private let added: IssuedToken
    private let user: String
    private let drive: DriveAddress
    private let words: Words

    init(_ added: IssuedToken, _ call: PageCall) throws {
        self.added = added
        user = try call.user.email
        drive = DriveAddress(call)
        words = call.words
    }

    var model: PageModel {
        let characters = added.characters
        var model: PageModel = [
            "label": added.record.label, "password": characters, "url": drive.url,
            "rclone": drive.rclone(by: user, password: characters),
        ]
        model["networkPath"] = drive.networkPath
        model["netUse"] = drive.netUse(by: user)
        // Three lines, to be copied from the program that reads the code.
        if let code = try? QRCode("\(drive.url)\n\(user)\n\(characters)") {
            model["qr"] = code.model(label: words("app.code"))
        }
        return model
    }
}
