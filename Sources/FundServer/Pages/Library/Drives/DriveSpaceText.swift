internal import FundCore

/// The room of a drive in words.
struct DriveSpaceText {
    /// Time for which a page waits for the rooms of its drives.
    static let wait = Duration.milliseconds(1200)

    private let words: Words
    private let formats: Formats

    init(_ words: Words, _ formats: Formats) { (self.words, self.formats) = (words, formats) }

    /// Nil where the store tells nothing.
    func text(_ space: DriveSpace) -> String? {
        let free = space.free ?? space.total.flatMap { total in space.used.map { max(total - $0, 0) } }
        if let free, let total = space.total { return words("drive.space", formats.size(free), formats.size(total)) }
        if let free { return words("drive.free", formats.size(free)) }
        return space.used.map { words("drive.used", formats.size($0)) }
    }
}
