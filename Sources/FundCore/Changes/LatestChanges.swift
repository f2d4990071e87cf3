/// The numbers of people's latest changes at one moment, for comparing two moments.
package struct LatestChanges: Sendable, Hashable {
    /// By person; none for a person whose library never changed. The numbers of two people have nothing in common.
    package var numbers: [User.ID: Int64]

    package init(numbers: [User.ID: Int64] = [:]) { self.numbers = numbers }

    /// The people whose libraries changed since an earlier moment.
    package func people(since earlier: LatestChanges) -> Set<User.ID> {
        Set(numbers.filter { earlier.numbers[$0.key] != $0.value }.keys)
    }
}
