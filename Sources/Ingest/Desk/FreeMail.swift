/// Services where everybody can have an address: one of them is not the office of its neighbour.
package enum FreeMail {
    private static let domains: Set = [
        "126.com", "163.com", "aol.com", "foxmail.com", "gmail.com", "gmx.com", "gmx.de", "gmx.net", "googlemail.com",
        "hotmail.com", "icloud.com", "live.com", "mail.com", "mail.ru", "me.com", "msn.com", "outlook.com",
        "proton.me", "protonmail.com", "qq.com", "sina.com", "web.de", "yahoo.com", "yandex.ru",
    ]

    /// Whether the address is of such a service.
    package static func has(_ address: String) -> Bool {
        guard let at = address.lastIndex(of: "@") else { return false }
        return domains.contains(address[address.index(after: at)...].lowercased())
    }
}
