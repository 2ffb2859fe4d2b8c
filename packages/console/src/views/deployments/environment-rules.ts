/** What somebody changes of an environment, and what is sent for it. Pure. */

/** Stands for a value that stays, which nobody sees. (SECRET_MASK of the contract) */
const KEPT = '********';

export interface EnvironmentEdit {
  /** New values of variables that there are. */
  readonly replaced: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  readonly added: readonly Variable[];
}

export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Set where a template names it: it is set once somebody gives it a value. */
  readonly is_suggested?: true;
}

export const NO_EDIT: EnvironmentEdit = { replaced: {}, removed: [], added: [] };

export const isEdited = ({ replaced, removed, added }: EnvironmentEdit): boolean =>
  Object.keys(replaced).length > 0 || removed.length > 0 || added.some(({ name }) => name !== '');

/** The whole environment as it is sent; empty where nothing is left. */
export function editedEnvironment(present: readonly string[], edit: EnvironmentEdit): Variable[] {
  const added = edit.added.filter(({ name }) => name !== '');
  const names = added.map(({ name }) => name);
  return [
    ...present
      .filter((name) => !edit.removed.includes(name) && !names.includes(name))
      .map((name) => ({ name, value: edit.replaced[name] ?? KEPT })),
    ...added,
  ];
}

/** A variable that is there stays as it is: what is sent is all of it. */
export const keptVariable = (name: string): Variable => ({ name, value: KEPT });

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why an edit can't be sent; undefined where it can. An empty value would take the place of one that nobody sees. */
export function editFault({ replaced, added }: EnvironmentEdit): string | undefined {
  const empty = Object.keys(replaced).find((name) => replaced[name] === '');
  return empty === undefined ? nameFault(added) : `Enter the new value of ${empty}, or keep it.`;
}

function nameFault(added: readonly Variable[]): string | undefined {
  const names = added.map(({ name }) => name).filter((name) => name !== '');
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined)
    return `${wrong} is no name of a variable: it must be letters, digits and underscores, and not begin with a digit.`;
  const double = names.find((name, index) => names.indexOf(name) !== index);
  return double === undefined ? undefined : `${double} is there twice.`;
}

/** The variables in lines of a `.env` file: comments and `export` are left out, quotes taken off. */
export function variablesIn(text: string): Variable[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, raw = ''] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, value: unquoted(raw) }];
  });
}

function unquoted(raw: string): string {
  const [, quote, inner = ''] = /^(["'])(.*)\1(?:\s+#.*)?$/.exec(raw) ?? [];
  if (quote === '"')
    return inner.replaceAll(/\\(n|"|\\)/g, (_all, sign: string) => (sign === 'n' ? '\n' : sign));
  return quote === "'" ? inner : raw.replace(/\s+#.*$/, '');
}
