import ignore from 'ignore';

/** What never goes along with a source, whatever the ignore files say. Pure. */

/** Something that stays behind. */
export interface LeftOut {
  /** From the root of the source. */
  readonly name: string;
  /** About one or several of them. */
  readonly why: string;
}

/** That it stays behind surprises nobody. */
const UNSAID = ['.git', '.roadstead', '.langgraph_api', '.DS_Store'];

const kinds = {
  secret: { names: ['.env', '.env.local', '.env.*.local'], why: 'secrets of this machine' },
  installed: { names: ['node_modules'], why: 'installed anew by the build' },
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

/** Which kind of thing a file or folder of this name is; undefined for what is a source like any other. */
export const kindOf = (base_name: string): Kind | undefined =>
  matchers.find(([, names]) => names.ignores(base_name))?.[0];

export const whyOf = (kind: Kind): string => kinds[kind].why;

export const LEADS_OUT = 'links that lead out of the folder';
export const NO_FILE = 'neither files, folders nor links';

const SHOWN = 5;

/** What stayed behind, a line for each reason. */
export function linesOf(left_out: readonly LeftOut[]): string[] {
  const said = left_out.filter(({ why }) => why !== '');
  const reasons = [...new Set(said.map(({ why }) => why))];
  return reasons.map((why) => {
    const names = said.flatMap((one) => (one.why === why ? [one.name] : [])).toSorted();
    const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
    return `left out ${names.slice(0, SHOWN).join(', ')}${more}: ${why}`;
  });
}
