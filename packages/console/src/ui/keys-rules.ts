/** Keys, as a shortcut names them and as a keyboard tells and shows them. */

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** Whether this is the key: `n`, `Enter`, or `mod+k` with Ctrl, or Command on a Mac. */
export function isPressed(key: string, press: Press): boolean {
  const hasModifier = press.ctrlKey || press.metaKey;
  if (key.startsWith('mod+')) return hasModifier && press.key.toLowerCase() === key.slice(4);
  return !hasModifier && !press.altKey && press.key === key;
}

/** What stands on the keyboard of a Mac, or of any other computer. */
export function keyWords(key: string, agent: string): string {
  if (!key.startsWith('mod+')) return key;
  const rest = key.slice(4);
  const name = rest.length === 1 ? rest.toUpperCase() : rest.charAt(0).toUpperCase() + rest.slice(1);
  return agent.includes('Mac') ? `⌘${name}` : `Ctrl ${name}`;
}
