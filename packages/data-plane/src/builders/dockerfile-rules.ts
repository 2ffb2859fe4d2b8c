/** How texts are written in a Dockerfile. Pure. */

/** A path or a list of paths as one word: what a builder would split, expand or end is quoted. */
export const dockerWord = (text: string): string =>
  /^[\w./:@+-]+$/.test(text) ? text : `"${text.replaceAll(/[\\"$]/g, String.raw`\$&`)}"`;

/** JSON: in single quotes nothing has a meaning in a Dockerfile, but for these; JSON can say them otherwise. */
export const dockerQuotedJson = (json: string): string => `'${json.replaceAll("'", String.raw`\u0027`)}'`;

// oxlint-disable-next-line no-control-regex -- each of them may end a line of a Dockerfile
const CONTROL = /[\u0000-\u001F\u007F]/;

/** Whether it fits into one line. */
export const isOneLine = (text: string): boolean => !CONTROL.test(text);
