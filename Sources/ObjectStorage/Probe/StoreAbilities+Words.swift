extension StoreAbilities {
    /// One ability in words.
    package struct Finding: Hashable, Sendable {
        package var isThere: Bool
        /// One sentence, without its full stop, for administrators.
        package var text: String
    }

    /// The abilities in words, in the order of their weight.
    package var findings: [Finding] {
        [
            finding(checksSignatures, "it refuses wrong keys", "it takes requests with a wrong key: anyone reads it"),
            finding(
                checksPayloads || hasChecksums, "it refuses bytes that changed on their way",
                "it takes bytes that changed on their way"),
            finding(
                hasConditionalPut, "it keeps an object that another would replace",
                "it replaces objects: random names alone keep them apart"),
            finding(hasRanges, "it gives parts of objects", "it gives objects whole only: reading is slow"),
            finding(
                hasMultipart, "it takes large objects in parts", "it takes no object in parts: large ones begin anew"),
            finding(listsAtOnce, "it lists objects at once", "it lists objects late: clean-up waits"),
        ]
    }

    private func finding(_ isThere: Bool, _ yes: String, _ no: String) -> Finding {
        Finding(isThere: isThere, text: isThere ? yes : no)
    }
}
