/** The beginning of a body, in whole pieces of at most so many bytes together. */
export async function readUpTo(
  body: AsyncIterable<Uint8Array>,
  max_bytes: number,
): Promise<{ readonly bytes: Buffer<ArrayBuffer>; readonly isWhole: boolean }> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > max_bytes) return { bytes: Buffer.concat(pieces), isWhole: false };
    pieces.push(piece);
  }
  return { bytes: Buffer.concat(pieces), isWhole: true };
}
