/// What an act did to one message, or learnt from it.
package struct DeskStep: Sendable, Hashable {
    package typealias ID = FundCore.ID<DeskStep>

    package var id: ID
    package var message: MisrouteRecord.ID
    package var about: About

    /// What a step is about.
    package enum About: Sendable, Hashable {
        /// The message: it was filed, put aside or put off.
        case message
        /// What was learnt from the message, or put right because of it.
        case remedy
        /// By what was put right the message waits for another cause.
        case rerouting
    }

    package init(id: ID, message: MisrouteRecord.ID, about: About) {
        self.id = id
        self.message = message
        self.about = about
    }
}
