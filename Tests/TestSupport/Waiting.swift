/// Waits until something is so, and for a minute at most: long enough for any machine, and over at once where it is so.
package func becomesTrue(
    within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws -> Bool {
    let end = ContinuousClock.now + limit
    while try await !condition() {
        if .now > end { return false }
        try await Task.sleep(for: .milliseconds(5))
    }
    return true
}
