/** Pieces of JSON, whole and broken, of which texts are put together. */
export const jsonParts = [
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '"',
  '"a"',
  '"a":',
  '1',
  'null',
  ' ',
  '\\',
  '-',
  '"\\ud83d\\ude00',
  '\u00a0',
];
