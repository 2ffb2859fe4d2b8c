import { FakeRefusal } from './fake-refusal.ts';
import { same } from './fake-store.ts';

/** A way into an object: names of fields, and `[name]` for the item of a list that has this name. */
type Path = readonly string[];
type Fields = Record<string, unknown>;

/** Set by the server or by the address: nobody owns them. */
const UNOWNED = new Set([
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
  'metadata.generation',
  'metadata.creationTimestamp',
  'metadata.managedFields',
  'metadata.generateName',
]);

/**
 * Who owns which field of one object, as server-side apply keeps it: what is applied is merged field by field, lists of things with a name
 * thing by thing, and any other list as a whole.
 */
export class FieldOwners {
  readonly #owned = new Map<string, Map<string, Path>>();

  /**
   * Notes what somebody wrote without applying it: what changes is theirs alone from then on.
   * @param hands_over whether only what somebody owned is: so it is where a part with an address of its own is written
   */
  written(
    manager: string,
    {
      before,
      after,
      hands_over = false,
    }: { readonly before: object | undefined; readonly after: object; readonly hands_over?: boolean },
  ): void {
    for (const [id, path] of leavesOf(after)) {
      if (before !== undefined && same(read(before, path), read(after, path))) continue;
      const owners = [...this.#owned.values()].filter((fields) => fields.delete(id));
      if (hands_over && owners.length === 0) continue;
      this.#of(`${manager} Update`).set(id, path);
    }
  }

  /** @throws FakeRefusal 409 naming fields that others own and that are to be something else */
  applied(
    manager: string,
    {
      live,
      wanted,
      force,
    }: { readonly live: object | undefined; readonly wanted: object; readonly force: boolean },
  ): Fields {
    const own = this.#of(`${manager} Apply`);
    const leaves = leavesOf(wanted);
    const taken = [...leaves].flatMap(([id, path]) => {
      const differs = live !== undefined && !same(read(live, path), read(wanted, path));
      return [...this.#owned].flatMap(([owner, fields]) =>
        differs && fields !== own && fields.has(id) ? [{ owner, fields, id, path }] : [],
      );
    });
    if (taken.length > 0 && !force) throw conflictOver(taken);
    for (const { fields, id } of taken) fields.delete(id);
    const merged = structuredClone(live ?? {}) as Fields;
    for (const [id, path] of own) {
      if (leaves.has(id)) continue;
      own.delete(id);
      if (![...this.#owned.values()].some((fields) => fields.has(id))) remove(merged, path);
    }
    for (const [id, path] of leaves) {
      own.set(id, path);
      write(merged, { path, value: read(wanted, path) });
    }
    return merged;
  }

  copy(): FieldOwners {
    const copied = new FieldOwners();
    for (const [owner, fields] of this.#owned) copied.#owned.set(owner, new Map(fields));
    return copied;
  }

  /** As the API server shows them, in short. */
  get managed(): readonly object[] {
    return [...this.#owned.keys()].map((owner) => {
      const [manager, operation] = owner.split(' ');
      return { manager, operation };
    });
  }

  #of(owner: string): Map<string, Path> {
    const fields = this.#owned.get(owner) ?? new Map<string, Path>();
    this.#owned.set(owner, fields);
    return fields;
  }
}

function conflictOver(taken: readonly { readonly owner: string; readonly path: Path }[]): FakeRefusal {
  const causes = taken.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${owner.split(' ')[0]}"`,
    field: `.${path.join('.')}`,
  }));
  const said = causes.map(({ message, field }) => `${message}: ${field}`).join('\n');
  const many = causes.length === 1 ? '1 conflict' : `${causes.length} conflicts`;
  return new FakeRefusal(409, 'Conflict', { message: `Apply failed with ${many}: ${said}`, causes });
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** A list is of named items where each has its own name; mounts of one volume share theirs, so they are written as a whole. */
const isNamed = (value: unknown): value is (Fields & { name: string })[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((item) => isFields(item) && typeof item['name'] === 'string') &&
  new Set(value.map((item: Fields) => item['name'])).size === value.length;

function leavesOf(value: object): Map<string, Path> {
  const leaves = new Map<string, Path>();
  const walk = (inner: unknown, path: Path) => {
    if (UNOWNED.has(path.join('.'))) return;
    if (isFields(inner) && Object.keys(inner).length > 0)
      for (const [name, field] of Object.entries(inner)) walk(field, [...path, name]);
    else if (isNamed(inner))
      for (const { name, ...fields } of inner) {
        const item = [...path, `[${name}]`];
        if (Object.keys(fields).length === 0) leaves.set(JSON.stringify(item), item);
        for (const [field, content] of Object.entries(fields)) walk(content, [...item, field]);
      }
    else if (inner !== undefined) leaves.set(JSON.stringify(path), path);
  };
  walk(value, []);
  return leaves;
}

function step(within: unknown, part: string): unknown {
  if (!part.startsWith('[')) return isFields(within) ? within[part] : undefined;
  return isNamed(within) ? within.find(({ name }) => `[${name}]` === part) : undefined;
}

const read = (object: object, path: Path): unknown => path.reduce<unknown>(step, object);

function write(object: Fields, { path, value }: { readonly path: Path; readonly value: unknown }): void {
  let within: unknown = object;
  path.forEach((part, at) => {
    const is_last = at === path.length - 1;
    const next = is_last
      ? structuredClone(value)
      : (step(within, part) ?? (path[at + 1]?.startsWith('[') ? [] : {}));
    if (!part.startsWith('[')) (within as Fields)[part] = next;
    else if (step(within, part) === undefined) {
      const item = { name: part.slice(1, -1) };
      (within as Fields[]).push(item);
      within = item;
      return;
    }
    within = next;
  });
}

/** Removes a field, and what is empty then. */
function remove(object: Fields, path: Path): void {
  const last = path.at(-1) ?? '';
  const within = read(object, path.slice(0, -1));
  if (Array.isArray(within)) {
    const at = within.indexOf(step(within, last));
    if (at >= 0) within.splice(at, 1);
  } else if (isFields(within)) delete within[last];
  const is_item = path.at(-2)?.startsWith('[') === true;
  const left = Object.keys(within ?? {}).filter((name) => !is_item || name !== 'name');
  if (path.length > 1 && left.length === 0) remove(object, path.slice(0, -1));
}
