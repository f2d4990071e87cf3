/// Several transfers at a time.
enum Parallel {
    /// Runs the body for each element, so many at a time, whatever becomes of the others.
    /// - Parameter failed: is told of each failure, one after the other.
    /// - Returns: the first failure.
    static func forEach<Element: Sendable>(
        _ elements: [Element], atMost limit: Int, _ body: @escaping @Sendable (Element) async throws -> Void,
        failed: (Element, CommandError) -> Void
    ) async -> CommandError? {
        var first: CommandError?
        await withTaskGroup(of: (Element, CommandError?).self) { group in
            var rest = elements[...]
            func startNext() {
                guard let element = rest.popFirst() else { return }
                group.addTask {
                    do {
                        try await body(element)
                        return (element, nil)
                    } catch {
                        return (element, CommandError(error))
                    }
                }
            }
            for _ in 0..<max(1, limit) { startNext() }
            for await (element, failure) in group {
                if let failure {
                    failed(element, failure)
                    first = first ?? failure
                }
                startNext()
            }
        }
        return first
    }
}
