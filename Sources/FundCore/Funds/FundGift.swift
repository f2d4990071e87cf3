/// The result of giving a fund to another owner.
package struct FundGift: Sendable, Hashable {
    /// A name of the fund that another fund of the new owner had before.
    package struct TakenName: Sendable, Hashable {
        package var name: String
        /// The fund that mail with this name found until then.
        package var formerHolder: String

        package init(_ name: String, from formerHolder: String) {
            (self.name, self.formerHolder) = (name, formerHolder)
        }
    }

    /// False when the fund was the new owner's already.
    package var isNew: Bool
    /// Names that mail finds the fund by from now on, the fund's own first.
    package var takenNames: [TakenName]

    package init(isNew: Bool, takenNames: [TakenName] = []) { (self.isNew, self.takenNames) = (isNew, takenNames) }
}
