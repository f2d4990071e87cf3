/// The parts of a person's name as cards have them (`N` of RFC 6350 §6.2.2): family name, given name, further names,
/// what stands before and behind.
package enum StructuredName {
    /// The name as people write it. Names in Han characters begin with the family name and have no spaces.
    package static func text(_ components: [String]) -> String {
        func part(_ index: Int) -> String { components.indices.contains(index) ? components[index] : "" }
        if isHan(part(0) + part(1)) { return part(0) + part(1) }
        return [3, 1, 2, 0, 4].map(part).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The family name and the other names of a name as people write it: the last word is the family name, in Han
    /// characters the first character.
    package static func components(of name: String) -> (family: String, given: String) {
        if isHan(name), !name.contains(" ") { return (String(name.prefix(1)), String(name.dropFirst())) }
        guard let space = name.lastIndex(of: " ") else { return ("", name) }
        return (String(name[name.index(after: space)...]), String(name[..<space]))
    }

    private static func isHan(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0x3400..<0xA000).contains($0.value) }
    }
}
