import ignore from 'ignore';

/** Decides what is never packed with a source, no matter what the ignore files list. Pure. */

/** A file or folder that is left out. */
export interface LeftOut {
  /** The path from the root of the source. */
  readonly name: string;
  /** The reason, worded for one or several of them. */
  readonly why: string;
}

/** Names whose absence surprises nobody. */
const UNSAID = ['.git', '.roadstead', '.langgraph_api', '.DS_Store'];

const kinds = {
  secret: { names: ['.env', '.env.local', '.env.*.local'], why: 'secrets of this machine' },
  installed: { names: ['node_modules'], why: 'installed again by the build' },
  made: {
    names: ['.venv', 'venv', '__pycache__', '.turbo', '.cache'],
    why: 'usually made on this machine, and not tracked by git',
  },
  unsaid: { names: UNSAID, why: '' },
} as const;

export type Kind = keyof typeof kinds;

const matchers = Object.entries(kinds).map(
  ([kind, { names }]) => [kind as Kind, ignore().add([...names])] as const,
);

/** The kind of a file or folder by its name; undefined for an ordinary source. */
export const kindOf = (base_name: string): Kind | undefined =>
  matchers.find(([, names]) => names.ignores(base_name))?.[0];

export const whyOf = (kind: Kind): string => kinds[kind].why;

export const LEADS_OUT = 'links that lead out of the folder';
export const NO_FILE = 'neither files, folders nor links';

const SHOWN = 5;

/** A line for each reason why something was left out. */
export function linesOf(left_out: readonly LeftOut[]): string[] {
  const said = left_out.filter(({ why }) => why !== '');
  const reasons = [...new Set(said.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = said.flatMap((one) => (one.why === why ? [one.name] : [])).toSorted();
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    return `left out ${names.slice(0, SHOWN).join(', ')}${more}: ${why}`;
  });
}
