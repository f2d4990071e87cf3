import FundCore

/// Rows and fields of files that are text. Mails are not read here: see `MailReader`.
enum FieldTools {
    /// The JSON of `FileFields`.
    static func fields(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        guard [.text, .calendar, .card].contains(job.conversion.type) else { throw .failure(.unsupported) }
        let (written, isAll) = try TextTools.written(job)
        // Text of old Macs has no other line ends.
        let lines = written.contains(.lf) ? written : written.map { $0 == .cr ? .lf : $0 }
        let isWhole = isAll && lines.count <= TextOutput.maxBytes
        let text = TextOutput.clean(lines)
        let fields: FileFields? =
            switch job.conversion.type {
            case .calendar: CalendarReader.fields(of: text, isWhole: isWhole).map { .calendar($0) }
            case .card: CardReader.fields(of: text, isWhole: isWhole).map { .card($0) }
            default: TableReader.fields(of: text, isWhole: isWhole).map { .table($0) }
            }
        guard let json = try? fields?.json() else { throw .failure(.unsupported) }
        return json
    }
}
