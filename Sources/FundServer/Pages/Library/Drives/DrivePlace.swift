internal import FundCore

/// A folder of a drive, as the forms of pages name it: `12/` for the top of a drive, `12/Reports/2026` for a folder.
struct DrivePlace: Hashable, Sendable {
    var drive: Drive.ID
    var path: DrivePath

    init(_ drive: Drive.ID, _ path: DrivePath = .top) { (self.drive, self.path) = (drive, path) }

    /// Nil for another text.
    init?(_ text: String) {
        guard let slash = text.utf8.firstIndex(of: .slash), let number = QueryText.number(text[..<slash]), number > 0,
            let path = DrivePath(String(text[slash...]))
        else { return nil }
        self.init(Drive.ID(number), path)
    }

    var text: String { "\(drive)/\(path)" }
}
