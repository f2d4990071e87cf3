/// What `doctor` found, line by line.
struct DoctorFindings: Sendable {
    private var rows: [[String]] = []
    /// Of the first failure; nil when there is none.
    private(set) var status: ExitStatus?

    mutating func ok(_ what: String, _ text: String) { rows.append(["ok", what, text]) }
    mutating func warn(_ what: String, _ text: String) { rows.append(["warning", what, text]) }
    mutating func fail(_ what: String, _ failure: CommandError) {
        rows.append(["FAILED", what, failure.message])
        status = status ?? failure.status
    }

    mutating func append(_ other: DoctorFindings) {
        rows += other.rows
        status = status ?? other.status
    }

    var rendered: String {
        var table = Table([Table.Column(title: ""), Table.Column(title: ""), Table.Column(title: "")])
        for row in rows { table.add(row) }
        return table.rendered(width: nil)
    }
}
