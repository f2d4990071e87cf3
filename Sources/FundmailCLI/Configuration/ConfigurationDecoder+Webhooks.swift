import FundCore
import MailSend

/// The section `webhooks`.
extension ConfigurationDecoder {
    /// Nil for `off`.
    func webhooks(_ node: ConfigurationNode) throws -> WebhookRules? {
        var rules = WebhookRules()
        switch try? node.string() {
        case "off": return nil
        case "on": return rules
        default: break
        }
        let values = try node.mapping(["private_hosts", "tls_ca_file"])
        if let list = values["private_hosts"] { rules.privateHosts = try list.list().map(allowedHost) }
        rules.authorityFile = try values["tls_ca_file"].map { path(try $0.text()) }
        return rules
    }
}
