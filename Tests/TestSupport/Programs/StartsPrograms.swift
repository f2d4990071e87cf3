internal import Glibc
package import Testing

extension Trait where Self == ConditionTrait {
    /// Marks suites and tests that start programs, such as `fundmail`, converters, Dovecot or curl. `swift test` by
    /// itself leaves them out; `scripts/test` runs them after the others.
    package static var startsPrograms: Self {
        .enabled(if: getenv("FUNDMAIL_TEST_PROGRAMS") != nil, "starts programs; runs with FUNDMAIL_TEST_PROGRAMS=1")
    }
}
