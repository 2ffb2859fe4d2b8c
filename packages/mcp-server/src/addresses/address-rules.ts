/** Addresses of things that can be read whole, as templates of RFC 6570; values in them are percent-encoded. */
export const templates = {
  run: 'roadstead://runs/{run_id}',
  project: 'roadstead://projects/{project}',
  thread: 'roadstead://projects/{project}/threads/{thread_id}',
  prompt: 'roadstead://prompts/{prompt}',
  dataset: 'roadstead://datasets/{dataset}',
  example: 'roadstead://examples/{example_id}',
} as const;
export type ResourceKind = keyof typeof templates;

type NamesIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;
/** The value of each variable of a template. */
export type Values<K extends ResourceKind> = Readonly<Record<NamesIn<(typeof templates)[K]>, string>>;

/** A pointer beside the text of an answer, to something that the text shows only in part. */
export interface Link {
  readonly uri: string;
  /** For a list of links: its kind and its name. */
  readonly name: string;
}

/** The address of one thing, such as `addressOf('run', { run_id })`. */
export function addressOf<K extends ResourceKind>(kind: K, values: Values<K>): string {
  const given: Readonly<Record<string, string>> = values;
  return templates[kind].replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? ''));
}

/** A link to it, for `context.link`. */
export function linkTo<K extends ResourceKind>(kind: K, values: Values<K>): Link {
  return { uri: addressOf(kind, values), name: `${kind} ${Object.values<string>(values).at(-1) ?? ''}` };
}

/**
 * The values that an address has for the variables of a template, and its page; undefined where it belongs to another
 * template. The last variable may hold slashes, since some clients fill in names without encoding them.
 */
export function readAddress(
  template: string,
  uri: string,
): { readonly values: Readonly<Record<string, string>>; readonly page: number } | undefined {
  const [address = '', query = ''] = uri.split('?', 2);
  const parts = template.split(/\{(\w+)\}/);
  const pattern = parts.map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    return at === parts.length - 2 ? '(.+)' : '([^/]+)';
  });
  const found = new RegExp(`^${pattern.join('')}$`).exec(address);
  const names = parts.filter((_, at) => at % 2 === 1);
  const page = Number(new URLSearchParams(query).get('page') ?? 1);
  if (found === null || !Number.isSafeInteger(page) || page < 1) return undefined;
  const values = names.map((name, at): [string, string] => [name, decoded(found[at + 1] ?? '')]);
  return { values: Object.fromEntries(values), page };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
