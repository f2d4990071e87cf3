internal import FundCore

/// Sentences whose values are more than text, for the template `sentence`.
extension Words {
    /// The text of a key with values in it.
    /// - Parameter values: one part each, as the functions below make them.
    func parts(_ key: String, _ values: [PageModel] = []) -> [PageModel] {
        pieces(key).compactMap { piece -> PageModel? in
            switch piece {
            case .text(let text): ["plain": text]
            case .value(let index): values.indices.contains(index) ? values[index] : nil
            }
        }
    }
}

extension Formats {
    /// A time with its day, within a sentence.
    func moment(_ time: Timestamp) -> PageModel { ["moment": exactTime(time)] }

    /// How long ago a time was, within a sentence.
    func aging(_ time: Timestamp) -> PageModel { ["aging": agingTime(time)] }

    /// How long something has lasted, within a sentence.
    func lasting(since time: Timestamp) -> PageModel { ["lasting": span(since: time)] }
}
