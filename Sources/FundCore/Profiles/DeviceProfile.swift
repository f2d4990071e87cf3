/// A profile that sets up one person's iPhone, iPad or Mac. It holds no password: devices ask for it.
///
/// Its names and UUIDs are the same each time, so that a device takes a later profile as a new version of the one that
/// it has (Apple, "Device Management": TopLevel, CommonPayloadKeys).
package struct DeviceProfile {
    /// Name of the file in downloads.
    package static let fileName = "Fundmail.mobileconfig"
    package static let contentType = "application/x-apple-aspen-config"
    /// Path of the principal of the contacts (RFC 6352 §7.1), where a device finds the address books.
    private static let contactsPath = "/carddav/principal/"
    /// Namespace of the UUIDs, a random one.
    private static let namespace: [UInt8] = [
        0x2C, 0x2F, 0xB1, 0x5B, 0x63, 0x0D, 0x4B, 0x0E, 0x9E, 0x0A, 0x51, 0xC6, 0x37, 0x86, 0x5A, 0xD4,
    ]

    private let order: ProfileOrder
    private let settings: ProfileSettings
    private let organization: String
    private let identifier: String

    /// - Parameter order: its parts must be among those of the settings.
    package init(_ order: ProfileOrder, _ settings: ProfileSettings) {
        (self.order, self.settings) = (order, settings)
        organization = settings.organization ?? settings.place?.host ?? "Fundmail"
        identifier = "fundmail.\(Self.uuid(of: "", order.user, settings))"
    }

    /// The profile as a property list in XML.
    package var bytes: [UInt8] {
        PropertyListValue.group([
            "PayloadType": "Configuration", "PayloadVersion": 1, "PayloadIdentifier": .text(identifier),
            "PayloadUUID": .text(Self.uuid(of: "", order.user, settings)), "PayloadDisplayName": .text(title),
            "PayloadOrganization": .text(organization), "PayloadDescription": .text(description),
            "PayloadRemovalDisallowed": false, "PayloadScope": "User", "PayloadContent": .list(payloads),
        ]).xml
    }

    private static func uuid(of payload: String, _ user: User, _ settings: ProfileSettings) -> String {
        "\(NameUUID(of: "\(settings.store)/\(user.id)/\(payload)", in: namespace))"
    }

    private var language: ProfileLanguage { order.language }

    private var title: String { language("Fundmail of \(organization)", "\(organization) 的 Fundmail") }

    private var description: String {
        let list = settings.parts.filter(order.parts.contains).map { part in
            switch part {
            case .webClip: language("the pages on the home screen", "主屏幕上的网页图标")
            case .authority: language("the organisation's certificate authority", "单位的证书颁发机构")
            case .contacts: language("the contacts", "通讯录")
            case .mail: language("the mail account", "邮箱账户")
            }
        }
        let (person, parts) = (order.user.name ?? order.user.email, list.joined(separator: language("; ", "、")))
        return language(
            "Sets up this device for \(person): \(parts). It holds no password.",
            "为 \(person) 设置此设备：\(parts)。其中不含密码。")
    }

    private var payloads: [PropertyListValue] {
        settings.parts.filter(order.parts.contains).flatMap { part in
            switch part {
            case .webClip: settings.place.map { [webClip($0)] } ?? []
            case .authority: settings.authorities.map(authority)
            case .contacts: settings.place.map { [contacts($0)] } ?? []
            case .mail: settings.mail.map { [mail($0)] } ?? []
            }
        }
    }

    /// - Parameters:
    ///   - name: tells it from the other payloads of the profile.
    ///   - shownName: for the person, in the list of what the profile holds.
    private func payload(
        _ type: String, name: String, _ shownName: String, _ values: [String: PropertyListValue]
    ) -> PropertyListValue {
        let common: [String: PropertyListValue] = [
            "PayloadType": .text(type), "PayloadVersion": 1, "PayloadIdentifier": .text("\(identifier).\(name)"),
            "PayloadUUID": .text(Self.uuid(of: name, order.user, settings)), "PayloadDisplayName": .text(shownName),
            "PayloadOrganization": .text(organization),
        ]
        return .group(values.merging(common) { _, common in common })
    }

    /// Apple, "Device Management": WebClip.
    private func webClip(_ place: ProfileSettings.Place) -> PropertyListValue {
        payload(
            "com.apple.webClip.managed", name: "web-clip", language("Pages", "网页"),
            [
                "Label": "Fundmail", "URL": .text(place.url + "/"), "Icon": .data(WebClipIcon.png), "Precomposed": true,
                "FullScreen": true, "IgnoreManifestScope": true, "IsRemovable": true,
            ])
    }

    /// Apple, "Device Management": CertificateRoot. A certificate that is renewed is another payload.
    private func authority(_ certificate: [UInt8]) -> PropertyListValue {
        let digest = ContentDigest.of(certificate).hex
        return payload(
            "com.apple.security.root", name: "authority-\(digest.prefix(16))",
            language("Certificate authority", "证书颁发机构"),
            ["PayloadCertificateFileName": "authority.cer", "PayloadContent": .data(certificate)])
    }

    /// Apple, "Device Management": CardDAV.
    private func contacts(_ place: ProfileSettings.Place) -> PropertyListValue {
        payload(
            "com.apple.carddav.account", name: "contacts", language("Contacts", "通讯录"),
            [
                "CardDAVAccountDescription": .text("Fundmail"), "CardDAVHostName": .text(place.host),
                "CardDAVPort": .number(place.port), "CardDAVUseSSL": .flag(place.isEncrypted),
                "CardDAVPrincipalURL": .text(Self.contactsPath), "CardDAVUsername": .text(order.user.email),
            ])
    }

    /// Apple, "Device Management": Mail. With `UseSSL` a device also takes STARTTLS, by the port.
    private func mail(_ servers: ProfileSettings.MailServers) -> PropertyListValue {
        let address = PropertyListValue.text(order.user.email)
        return payload(
            "com.apple.mail.managed", name: "mail", language("Mail", "邮件"),
            [
                "EmailAccountDescription": .text(organization), "EmailAddress": address,
                "EmailAccountName": .text(order.user.name ?? order.user.email), "EmailAccountType": "EmailTypeIMAP",
                "IncomingMailServerHostName": .text(servers.imap.host),
                "IncomingMailServerPortNumber": .number(Int(servers.imap.port)), "IncomingMailServerUseSSL": true,
                "IncomingMailServerUsername": address, "IncomingMailServerAuthentication": "EmailAuthPassword",
                "OutgoingMailServerHostName": .text(servers.smtp.host),
                "OutgoingMailServerPortNumber": .number(Int(servers.smtp.port)), "OutgoingMailServerUseSSL": true,
                "OutgoingMailServerUsername": address, "OutgoingMailServerAuthentication": "EmailAuthPassword",
                "OutgoingPasswordSameAsIncomingPassword": true,
            ])
    }
}
