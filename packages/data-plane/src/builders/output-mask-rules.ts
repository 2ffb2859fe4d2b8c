/** Hides from a build's output what describes this machine or grants access to something. Pure. */

/** A folder of ours, and its name in the output. */
export interface Alias {
  readonly folder: string;
  readonly alias: string;
}

/** The login in an address: its scheme, and everything before the `@`, except the user of git's ssh. */
const LOGIN = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)(?!git@)[^\s/?#@'"<>]{1,4096}@/gi;

/** A credential in a setting of npm or yarn. */
const SETTING =
  /(_authToken|_auth|_password|npmAuthToken|npmAuthIdent)(["']?\s*[=:]\s*["']?)[^\s"']{4,4096}/g;

/** Hides credentials in addresses and settings, no matter who they belong to. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(LOGIN, '$1********@').replaceAll(SETTING, '$1$2********');
}

/** Replaces folders of ours by their aliases; the first that matches counts. */
export function createFolderMask(aliases: readonly Alias[]): (text: string) => string {
  const patterns = aliases.map(({ folder, alias }) => ({
    pattern: new RegExp(`${folder.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(?![\\w-])`, 'g'),
    alias,
  }));
  return (text) => patterns.reduce((said, { pattern, alias }) => said.replaceAll(pattern, alias), text);
}
