/// A step of an act: a change to one message, or a rule learnt from it.
package struct DeskStep: Sendable, Hashable {
    package typealias ID = FundCore.ID<DeskStep>

    package var id: ID
    package var message: MisrouteRecord.ID
    package var about: About

    /// The subject of a step.
    package enum About: Sendable, Hashable {
        /// The message: it was filed, put aside or put off.
        case message
        /// The rule learnt from the message, or the cause that was put right because of it.
        case remedy
        /// The message waits for another cause since its own was put right.
        case rerouting
    }

    package init(id: ID, message: MisrouteRecord.ID, about: About) {
        self.id = id
        self.message = message
        self.about = about
    }
}
