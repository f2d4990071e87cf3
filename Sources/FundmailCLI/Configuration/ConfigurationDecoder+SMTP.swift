internal import MailConnection
import FundCore
import MailSend

/// The section `smtp`.
extension ConfigurationDecoder {
    mutating func smtp(_ node: ConfigurationNode) throws -> SMTPConfiguration {
        let values = try node.mapping(
            [
                "url", "user", "from", "tls_ca_file", "tls", "hello", "per_hour", "per_recipient", "per_person",
                "attachments",
            ]
                + Self.credentialKeys)
        let url = try required("url", of: node, values, example: "url: smtps://mail.corp.example")
        let address: SubmissionAddress
        do { address = try SubmissionAddress(url: try url.text()) } catch let error as ConnectionError {
            throw url.error(error.detail)
        }
        let fromNode = try required(
            "from", of: node, values, example: "from: Fundmail <funds@corp.example>")
        let from: Correspondent
        do { from = try Correspondent(try fromNode.text(), field: "it") } catch let error as MessageError {
            throw fromNode.error("\(error)")
        }
        var smtp = SMTPConfiguration(address: address, from: from)
        smtp.login = try login(node, values)
        smtp.caFile = try values["tls_ca_file"].map { path(try $0.text()) }
        if let tls = values["tls"] { smtp.usesTLS = try usesTLS(tls, address) }
        smtp.helloName = try values["hello"].map(helloName)
        if let count = values["per_hour"] { smtp.limits.perHour = try count.integer(in: Self.letterCounts) }
        if let count = values["per_recipient"] { smtp.limits.perDay = try count.integer(in: Self.letterCounts) }
        if let count = values["per_person"] { smtp.perPerson = try count.integer(in: Self.letterCounts) }
        if let size = values["attachments"] { smtp.maxAttachmentBytes = try size.byteCount(in: Self.attachmentBytes) }
        return smtp
    }

    /// Bounds of the files of a letter: no server takes more.
    private static let attachmentBytes: ClosedRange<Int64> = 0...200_000_000

    /// More than any server takes in an hour.
    private static let letterCounts = 1...1_000_000

    /// The login of a server that may take people in without one.
    func login(_ node: ConfigurationNode, _ values: [String: ConfigurationNode]) throws -> ServerLogin? {
        guard let userNode = values["user"] else {
            guard let key = Self.credentialKeys.first(where: { values[$0] != nil }), let value = values[key] else {
                return nil
            }
            throw value.error("is for a login, and the key \"user\" is missing; add user: funds@corp.example")
        }
        let user = try userNode.text()
        guard !user.utf8.contains(where: \.isControl) else { throw userNode.error("holds a control character") }
        return ServerLogin(user: user, credential: try credential(node, values))
    }

    private mutating func usesTLS(_ node: ConfigurationNode, _ address: SubmissionAddress) throws -> Bool {
        if try node.boolean() { return true }
        guard address.scheme == .smtp else { throw node.error("smtps:// is always encrypted; leave tls out") }
        guard address.server.isLoopback else {
            throw node.error(
                "off is refused because \(address.server.host) is not this machine: password and letters would travel "
                    + "readable; use smtps:// or leave tls out for STARTTLS")
        }
        warnings.append("smtp: tls is off; password and letters travel unencrypted on this machine")
        return false
    }

    /// A domain name or an address literal (RFC 5321 §4.1.1.1); libcurl would send anything.
    private func helloName(_ node: ConfigurationNode) throws -> String {
        let text = try node.text()
        guard let address = try? OutgoingAddress("hello@\(text)") else {
            throw node.error("must be a domain name, as in funds.corp.example")
        }
        return address.domain
    }
}
