/// Whether the messages of an mbox file have an empty line between them, as its format demands. Programs that leave it
/// out do so everywhere: where most messages have one, an envelope line without one is text of a message that quotes
/// another.
enum MboxGaps {
    /// Reads the file from the end of its first envelope line on. The empty line after the last message counts, too.
    static func areUsual(in path: String, from start: Int64) throws(SourceError) -> Bool {
        let lines = MboxLines(reader: try FileReader(path: path), from: start)
        var (gaps, missing) = (0, 0)
        var isAfterGap = true
        while let line = try lines.next() {
            let isEnvelope = line.prefix.starts(with: MboxEnvelope.mark) && MboxEnvelope(line.prefix).isCertain
            if isEnvelope, MboxField(try lines.peek()?.prefix ?? []).isCommon {
                if isAfterGap { gaps += 1 } else { missing += 1 }
            }
            isAfterGap = line.isEmpty
        }
        if isAfterGap { gaps += 1 }
        return gaps >= missing
    }
}
