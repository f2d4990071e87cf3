import FundCore

/// SVG by rsvg-convert(1).
enum VectorTools {
    /// The size that the root element says, in pixels; without one, that of its view box.
    static func info(_ job: ToolJob) -> FileInfo {
        var info = FileInfo(.svg)
        let beginning = FileWindow(descriptor: job.input).bytes(at: 0, count: TrueType.beginningBytes)
        guard let tag = MarkupType.rootTag(of: beginning) else { return info }
        info.width = attribute("width", in: tag.attributes).flatMap(length)
        info.height = attribute("height", in: tag.attributes).flatMap(length)
        if info.width == nil || info.height == nil, let box = attribute("viewbox", in: tag.attributes) {
            let numbers = box.split { $0 == " " || $0 == "," }.compactMap { Double($0) }
            guard numbers.count == 4 else { return info }
            (info.width, info.height) = (PixelSize.whole(numbers[2]), PixelSize.whole(numbers[3]))
        }
        return info
    }

    /// From standard input the document has no address: what it names beside itself is not looked for.
    private static let script = """
        set -e
        rsvg-convert --keep-aspect-ratio -w "$2" -h "$2" -f png < "$1" > picture
        enough="$3"
        \(SmallerWebP.script)
        """

    static func picture(_ job: ToolJob, pixels: Int) throws(ToolError) -> [UInt8] {
        let values = ["\(pixels)", SmallerWebP.enough(pixels: pixels)]
        let command = SandboxCommand.script(script, values, limits: ToolLimits.vector)
        return try job.output(of: command, needing: ["rsvg-convert"] + SmallerWebP.tools)
    }

    /// The value of an attribute whose name, in lower case, is `name`.
    private static func attribute(_ name: String, in bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        while let equals = rest.firstIndex(of: .equals) {
            let before = ASCII.trimmed(rest[..<equals])
            let start = before.lastIndex(where: ASCII.isSpace).map { $0 + 1 } ?? before.startIndex
            let value = rest[(equals + 1)...].drop(while: ASCII.isSpace)
            guard let quote = value.first, let end = value.dropFirst().firstIndex(of: quote) else { return nil }
            if ASCII.lowercased(before[start...]) == name {
                return String(decoding: value[(value.startIndex + 1)..<end], as: UTF8.self)
            }
            rest = rest[(end + 1)...]
        }
        return nil
    }

    /// Units of CSS in pixels (CSS Values 3 §6.2); nil for those that depend on something, such as `%`.
    private static let units = ["": 1, "px": 1, "pt": 4.0 / 3, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4]

    private static func length(_ text: String) -> Int? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "+") }
        guard let value = Double(number), let unit = units[String(text.dropFirst(number.count))] else { return nil }
        return PixelSize.whole(value * unit)
    }
}
