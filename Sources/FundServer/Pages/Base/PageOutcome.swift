internal import FundCore

/// The outcome of an act, as the address of the next page says it.
extension PageCall {
    private static let outcomeList = "outcome"
    /// Bytes of a name that still fits into an address.
    private static let maxNameBytes = 1024

    static func fitsAddress(_ name: String) -> Bool { name.utf8.count <= maxNameBytes }

    /// Fields of an address that say what one restored thing is called now: its name may have been taken meanwhile. The
    /// field `as` is sealed: a link made elsewhere cannot put words onto the page. It is left out for a name that does
    /// not fit into an address.
    func restored(as name: String) throws -> String {
        let sealed = Self.fitsAddress(name) ? try sealed(name, of: Self.outcomeList) : nil
        return "done=restored" + (sealed.map { "&as=\($0)" } ?? "")
    }

    /// The words for what was done, as the address says.
    func outcome(_ query: QueryText) -> String? {
        guard let done = query["done"] else { return nil }
        if done == "restored", let name = try? opened(query["as"], of: Self.outcomeList) {
            return words("restored.as", words.isolated(name))
        }
        if done == "feeds-imported-partly", let left = query["left"].flatMap(Int.init), left > 0 {
            return words("feeds.leftout", "\(left)")
        }
        return words.outcome(done)
    }
}
