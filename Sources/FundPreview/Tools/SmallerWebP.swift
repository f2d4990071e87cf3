/// A part of scripts: WebP without loss, which text and drawings have smaller, or with some, which photographs have.
enum SmallerWebP {
    /// The programs that it runs.
    static let tools = ["cwebp"]

    /// Writes the picture in the file `picture` to standard output.
    static let script = """
        cwebp -quiet -m 2 -lossless picture -o exact.webp
        cwebp -quiet -q 80 picture -o near.webp
        if [ "$(wc -c < exact.webp)" -le "$(wc -c < near.webp)" ]; then cat exact.webp; else cat near.webp; fi
        """
}
