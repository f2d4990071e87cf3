/// Makes the HTML of a mail harmless, outside this process: what comes of it shows text and pictures of the mail, and
/// neither loads nor runs anything.
package protocol MailSanitizer: Sendable {
    /// Nil when the HTML broke the process that read it, by a crash or by its time: it can be shown as text only.
    /// Throws when no such process can be had.
    func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail?
}
