/** What of a build's output is about this machine, or opens something, and is nobody's to read. Pure. */

/** A folder of ours, and what stands for it in the output. */
export interface Alias {
  readonly folder: string;
  readonly alias: string;
}

/** Of an address: its scheme, and whatever stands before the `@` but for the user of git's ssh. */
const LOGIN = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)(?!git@)[^\s/?#@'"<>]{1,4096}@/gi;

/** A credential as npm's and yarn's settings name it. */
const SETTING =
  /(_authToken|_auth|_password|npmAuthToken|npmAuthIdent)(["']?\s*[=:]\s*["']?)[^\s"']{4,4096}/g;

/** Hides credentials in addresses and settings, whoever they belong to. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(LOGIN, '$1********@').replaceAll(SETTING, '$1$2********');
}

/** Names folders of ours by their aliases; the first that fits counts. */
export function createFolderMask(aliases: readonly Alias[]): (text: string) => string {
  const patterns = aliases.map(({ folder, alias }) => ({
    pattern: new RegExp(`${folder.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-])`, 'g'),
    alias,
  }));
  return (text) => patterns.reduce((said, { pattern, alias }) => said.replaceAll(pattern, alias), text);
}
