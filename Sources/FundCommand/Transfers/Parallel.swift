/// Several things at a time.
enum Parallel {
    /// The body's results for each element, in the order of the elements; a limited number runs at a time.
    static func compactMap<Element: Sendable, Result: Sendable>(
        _ elements: [Element], atMost limit: Int, _ body: @escaping @Sendable (Element) async -> Result?
    ) async -> [Result] {
        var results: [Result?] = Array(repeating: nil, count: elements.count)
        await withTaskGroup(of: (Int, Result?).self) { group in
            var rest = elements.indices[...]
            func startNext() {
                guard let index = rest.popFirst() else { return }
                let element = elements[index]
                group.addTask { (index, await body(element)) }
            }
            for _ in 0..<max(1, limit) { startNext() }
            for await (index, result) in group {
                results[index] = result
                startNext()
            }
        }
        return results.compactMap { $0 }
    }
}
