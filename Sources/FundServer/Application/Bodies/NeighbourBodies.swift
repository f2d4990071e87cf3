internal import FundCore

extension JSONWriter {
    /// Writes the items before and behind one in a list; at the ends of the list one member is missing.
    mutating func field<Item>(_ neighbours: Neighbours<Item>, _ write: (inout JSONWriter, Item) -> Void) {
        object("previous", neighbours.previous, write)
        object("next", neighbours.next, write)
    }

    mutating func field(_ provenance: FileProvenance) {
        object("origin", provenance.origin) { json, origin in
            json.object("email", origin.email) { $0.field($1) }
            json.object("attachment", origin.attachment) { $0.field($1) }
            json.field("number", origin.number.map(Int64.init))
            json.object("container", origin.container) { $0.field($1) }
        }
        field("is_renamed", provenance.isRenamed)
        field("is_moved", provenance.isMoved)
        objects("same_content", provenance.sameContent) { $0.field($1) }
    }

    /// Nothing for nil.
    private mutating func object<Value>(
        _ name: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard let value else { return }
        key(name)
        object { write(&$0, value) }
    }
}
