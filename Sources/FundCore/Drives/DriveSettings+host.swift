extension DriveSettings {
    /// Bytes of the longest name of an account that is kept: an address of mail has no more.
    private static let maxAccountBytes = 320

    /// The account that people know themselves by: as the store named it, else the user that was entered.
    package var account: String? {
        guard let name = accountName ?? self["user"], !name.isEmpty, name.utf8.count <= Self.maxAccountBytes,
            !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        return name
    }

    /// The host that people know the store by: that of the address that was entered, else the kind's own.
    package var host: String {
        for field in kind.fields where field.form == .address {
            if let host = self[field.name].flatMap({ DriveAddress($0) })?.host { return host }
        }
        return switch kind {
        case .webdav, .seafile, .swift: ""
        case .s3: "s3.amazonaws.com"
        case .b2: "api.backblazeb2.com"
        case .azureBlob: "\(self["account"] ?? "").blob.core.windows.net"
        case .koofr: "app.koofr.net"
        case .googleDrive: "drive.google.com"
        case .oneDrive: "onedrive.live.com"
        case .dropbox: "www.dropbox.com"
        case .box: "app.box.com"
        case .pcloud: "my.pcloud.com"
        }
    }
}
