internal import FundCore
internal import Ingest

/// The round mark of a sender at the desk: initials, and a question mark for one who may be another.
struct SenderMark {
    let text: String
    /// A class of colours.
    let hue: String

    /// - Parameter name: of the person to whom the address is registered; nil for a stranger.
    init(_ record: MisrouteRecord, name: String? = nil) {
        guard DeskChoices(record).proposal == .file, let named = name ?? record.userEmail ?? record.sender else {
            (text, hue) = ("?", "hue8")
            return
        }
        (text, hue) = (Initials.text(of: named), Initials.hue(of: record.userEmail ?? named))
    }
}
