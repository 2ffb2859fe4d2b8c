/** Where the words that were searched for stand in a text. */

interface Piece {
  readonly at: number;
  readonly piece: string;
  readonly is_hit: boolean;
}

const SPECIAL = /[.*+?^${}()|[\]\\/]/g;

/** Cuts a text at each hit; capitals and small letters are the same. */
export function marksIn(text: string, words: string | undefined): Piece[] {
  if (words === undefined || words === '') return [{ at: 0, piece: text, is_hit: false }];
  let at = 0;
  // A group within the pattern is kept, so that hits are each second piece.
  return text
    .split(new RegExp(`(${words.replaceAll(SPECIAL, String.raw`\$&`)})`, 'iu'))
    .flatMap((piece, index) => {
      const began = at;
      at += piece.length;
      return piece === '' ? [] : [{ at: began, piece, is_hit: index % 2 === 1 }];
    });
}
