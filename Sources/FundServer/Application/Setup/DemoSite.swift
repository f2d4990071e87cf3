package import FundCore

/// A demo as its page of signing in tells of it: all that is in it is made up, and its passwords are no secret.
package struct DemoSite: Sendable {
    /// A person as whom visitors may sign in.
    package struct Login: Sendable {
        package var name: String
        package var email: String
        package var password: String
        package var isAdministrator: Bool

        package init(name: String, email: String, password: String, isAdministrator: Bool) {
            self.name = name
            self.email = email
            self.password = password
            self.isAdministrator = isAdministrator
        }
    }

    package var logins: [Login]
    /// Time at which everything is made anew.
    package var endsAt: Timestamp

    package init(logins: [Login], endsAt: Timestamp) {
        self.logins = logins
        self.endsAt = endsAt
    }
}
