internal import Foundation
internal import FundCore

/// Bars over the slots of a period as an SVG image: plain rectangles in parts of its width and height, since the image
/// is as wide as the page. Its texts stand around it, as text of the page.
struct HealthChart: Sendable {
    /// How bars are filled, so that they differ without colour: a pattern of the template `healthpatterns`.
    enum Fill: String, Sendable {
        case solid, light, stripes, lines, grid
    }

    struct Series: Sendable {
        var fill: Fill
        /// In the reader's language.
        var name: String
        /// Nil in a slot that has no value.
        var value: @Sendable (HealthSample) -> Double?
        /// Total, for the legend.
        var total: String
    }

    enum Layout: Sendable {
        /// Upon each other: parts of a whole.
        case stacked
        /// Each from the ground: the later ones in front, and never higher.
        case nested
    }

    /// Unit of the scale.
    enum Unit: Sendable {
        case pieces, seconds

        private static let steps: [Double] = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14_400]
        private static let (hour, day) = (3600.0, 86_400.0)

        /// The end of a scale, not below `most`: a round number of pieces, or of what people count time in.
        func top(for most: Double) -> Double {
            switch self {
            case .seconds where most > Self.day: Self.round(most / Self.day) * Self.day
            case .seconds where most > 1:
                (Self.steps + [6, 12, 24].map { $0 * Self.hour }).first { $0 >= most } ?? Self.day
            case .pieces, .seconds: Self.round(most)
            }
        }

        /// 1, 2 or 5 times a power of ten.
        private static func round(_ most: Double) -> Double {
            guard most > 0 else { return 1 }
            let power = pow(10, log10(most).rounded(.down))
            // The logarithm of a power of ten may come out a little too low.
            return [1, 2, 5, 10].map { $0 * power }.first { $0 >= most * (1 - 1e-9) } ?? 10 * power
        }
    }

    /// Key of its heading in the table of words.
    var name: String
    /// In the order in which they are drawn.
    var series: [Series]
    var layout: Layout
    var unit: Unit
    /// A number of its scale as text.
    var text: @Sendable (Double) -> String

    /// For the template `healthchart`. `slots` has every slot of the period, nil for those that were not measured.
    func model(_ slots: [HealthSlot?], _ words: Words) -> PageModel {
        let values = slots.map { slot in slot.map { slot in series.map { $0.value(slot.sample) } } }
        let heights = values.compactMap { $0?.compactMap { $0 } }.map { values in
            layout == .stacked ? values.reduce(0, +) : values.max() ?? 0
        }
        let most = heights.max() ?? 0
        let top = unit.top(for: most)
        let width = 100 / Double(slots.count)
        var bars: [PageModel] = []
        for (index, values) in values.enumerated() {
            guard let values else { continue }
            var ground = 0.0
            for (series, value) in zip(series, values) {
                guard let value, value > 0 else { continue }
                let height = 100 * value / top
                bars.append([
                    "fill": series.fill.rawValue, "x": Self.percent((Double(index) + 0.1) * width),
                    "y": Self.percent(100 - ground - height), "width": Self.percent(0.8 * width),
                    "height": Self.percent(height),
                ])
                if layout == .stacked { ground += height }
            }
        }
        let legend = series.map { ["fill": $0.fill.rawValue, "name": $0.name, "total": $0.total] as PageModel }
        let title = words("health.\(name)")
        let sums = series.map { "\($0.name): \($0.total)" }.joined(separator: words("list.comma"))
        return [
            "id": name, "heading": title, "bars": bars, "gaps": Self.gaps(slots, width: width), "legend": legend,
            "hasGaps": slots.contains { $0 == nil }, "top": text(top),
            "most": words("health.most", text(most)),
            "label": words("health.label", title, sums, text(most)),
        ]
    }

    /// Runs of slots that were not measured.
    private static func gaps(_ slots: [HealthSlot?], width: Double) -> [PageModel] {
        var gaps: [PageModel] = []
        var index = 0
        while index < slots.count {
            let start = index
            while index < slots.count, slots[index] == nil { index += 1 }
            if index > start {
                gaps.append(["x": percent(Double(start) * width), "width": percent(Double(index - start) * width)])
            }
            index += 1
        }
        return gaps
    }

    /// With two digits behind the point, which no locale writes as a comma.
    private static func percent(_ value: Double) -> String { "\((value * 100).rounded() / 100)%" }
}
