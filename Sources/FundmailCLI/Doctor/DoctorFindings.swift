import FundCore
import Terminal

/// The findings of `doctor`, line by line.
struct DoctorFindings: Sendable {
    private(set) var all: [Finding] = []
    /// Exit status of the first failure; nil when there is none.
    private(set) var status: ExitStatus?

    mutating func add(_ finding: Finding) { all.append(finding) }

    mutating func ok(_ subject: Finding.Subject, _ text: String) { add(Finding(.ok, subject: subject, text)) }
    mutating func warn(_ subject: Finding.Subject, _ text: String) { add(Finding(.warning, subject: subject, text)) }

    /// - Parameter mailbox: the name of the mailbox that failed; nil when it was something else.
    mutating func fail(_ subject: Finding.Subject, mailbox: String? = nil, _ failure: CommandError) {
        add(Finding(.failure, subject: subject, mailbox: mailbox, failure.message))
        status = status ?? failure.status
    }

    mutating func append(_ other: DoctorFindings) {
        all += other.all
        status = status ?? other.status
    }

    var rendered: String {
        let rows = all.map { finding in
            let level = finding.level == .failure ? "FAILED" : finding.level.rawValue
            let subject = finding.subject.rawValue
            return [level, finding.mailbox.map { "\(subject) \($0)" } ?? subject, finding.text]
        }
        return Table(["", "", ""], rows).rendered(width: nil)
    }
}
