/// The times at which a letter tells a person what is new in their funds. The raw values stand in the database and in
/// JSON.
package enum NewsPace: String, Sendable, Hashable, CaseIterable {
    case off
    /// Within half a minute. What comes within seconds is told together.
    case atOnce = "at_once"
    case hourly
    case daily
}
