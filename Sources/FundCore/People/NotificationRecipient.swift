/// The person who gets a letter that answers no mail.
package struct NotificationRecipient: Sendable, Hashable {
    package var user: User.ID
    package var name: String?
    /// Nil for that of what the letter tells.
    package var language: PersonLanguage?

    package init(user: User.ID, name: String?, language: PersonLanguage?) {
        (self.user, self.name, self.language) = (user, name, language)
    }
}
