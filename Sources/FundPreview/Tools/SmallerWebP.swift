/// A part of scripts: WebP without loss, which text and drawings have smaller, or with some, which photographs have.
enum SmallerWebP {
    /// The programs that it runs.
    static let tools = ["cwebp"]

    /// Writes the picture in the file `picture` to standard output. One without loss that has at most `$enough` bytes
    /// is taken as it is: the other encoding would take half of the time.
    static let script = """
        cwebp -quiet -m 2 -lossless picture -o exact.webp
        exact="$(wc -c < exact.webp)"
        if [ "$exact" -gt "$enough" ]; then
            cwebp -quiet -q 80 picture -o near.webp
            [ "$exact" -le "$(wc -c < near.webp)" ] || mv near.webp exact.webp
        fi
        cat exact.webp
        """

    /// `$enough` for a picture within so many pixels: what a page of text has.
    static func enough(pixels: Int) -> String { "\(pixels * pixels / 12)" }
}
