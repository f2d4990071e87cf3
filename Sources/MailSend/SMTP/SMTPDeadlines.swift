package import MailConnection

/// Limits of the time that a server takes, by the monotonic clock (RFC 5321 §4.5.3.2).
package struct SMTPDeadlines: Sendable, Hashable {
    package var connection = ConnectionDeadlines()
    /// One reply to a command.
    package var reply: Duration = .seconds(300)
    /// The server takes no bytes of a letter.
    package var stall: Duration = .seconds(180)
    /// The reply to the end of a letter. Servers look for malware meanwhile, and a letter that is given up too
    /// early is sent twice.
    package var acceptance: Duration = .seconds(600)
    /// The reply to QUIT, which changes nothing.
    package var farewell: Duration = .seconds(3)

    package init() {
        // Servers delay their greeting to keep mass mailers away. libcurl counts the login as connecting.
        connection.connect = .seconds(60)
        connection.loginResponse = .seconds(60)
        connection.login = .seconds(90)
    }
}
