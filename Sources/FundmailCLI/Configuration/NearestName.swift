import FundCore
import Ingest

/// "Did you mean": the known word that is nearest to what was written.
enum NearestName {
    /// Nil when none is near: more than a third of the letters would have to change.
    static func of(_ word: String, among names: [String]) -> String? {
        let written = Array(word.lowercased().replacing("-", with: "_"))
        guard !written.isEmpty, written.count <= 100 else { return nil }
        let best = names.map { (name: $0, distance: EditDistance.between(written, Array($0.lowercased()))) }
            .min { $0.distance < $1.distance }
        guard let best, best.distance <= max(1, max(written.count, best.name.count) / 3) else { return nil }
        return best.name
    }
}
