/// The deliveries from a mailbox, so that what stays on the server is not fetched again.
package protocol DeliveryLedger: Sendable {
    /// Every durable delivery from `mailbox` that has not departed, in any order; of each place the latest. One query
    /// for the whole mailbox: 100,000 deliveries are usual. Blocks.
    func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace]
    /// Notes that these places are empty on the server: a message that appears there later is another one. Blocks.
    func noteDeparted(_ places: [String], in mailbox: String) throws
}
