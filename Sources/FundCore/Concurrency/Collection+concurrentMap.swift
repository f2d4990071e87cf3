extension Collection where Element: Sendable {
    /// The results of `work`, in the order of the elements. As soon as `isOver` is true no more work is begun; the
    /// elements that it would have been for are left out.
    /// - Parameter limit: how many run at the same time.
    package func concurrentMap<Result: Sendable>(
        atMost limit: Int, until isOver: () -> Bool = { false },
        _ work: @escaping @Sendable (Element) async -> Result
    ) async -> [Result] {
        await withTaskGroup(of: (Int, Result).self) { group in
            var results: [Int: Result] = [:]
            for (number, element) in enumerated() {
                if number >= limit, let (done, result) = await group.next() { results[done] = result }
                if isOver() { break }
                group.addTask { (number, await work(element)) }
            }
            for await (number, result) in group { results[number] = result }
            return results.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
