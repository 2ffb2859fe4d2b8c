import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Reduces what tracing costs a graph, in three places of the user's own packages, each of which takes about a
 * tenth of a traced run's time. What they do stays the same, but for how exactly a size is known, and where they read otherwise than known they are left alone.
 */

type LoadHook = NonNullable<Parameters<typeof registerHooks>[0]['load']>;

const FIELD =
  /Object\.defineProperty\(this, "(\w+)", \{\s*enumerable: true,\s*configurable: true,\s*writable: true,\s*value: void 0\s*\}\);/g;
/** Older clients write the whole run to know its length. */
const SIZE =
  /(?:\(0, \w+\.)?(?:estimateSerializedSize\)?\(item\.item\)\.size|serialize(?:PayloadForTracing)?\)?\(item\.item, `[^`]*`\)\.length)/;

/** Changes to files of langsmith that make them leaner. */
const rewritings: readonly (readonly [RegExp, (source: string) => string])[] = [
  // A tree of runs is made several times for each step, with some thirty fields.
  [/\/langsmith\/(?:dist|lib)\/run_trees\.[cm]?js$/, assignedFields],
  // Twice for each run, before it waits to be sent.
  [/\/langsmith\/(?:dist|lib)\/client\.[cm]?js$/, roughlySized],
];

/** As a hook of loading. */
export const loadLean: LoadHook = (url, context, next) => {
  const loaded = next(url, context);
  const rewriting = rewritings.find(([file]) => file.test(url));
  if (rewriting === undefined) return loaded;
  const source = loaded.source ?? readFileSync(fileURLToPath(url));
  return {
    ...loaded,
    source: rewriting[1](typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()),
  };
};

/** Fields of a class, assigned instead of defined one by one, which is slow. */
export function assignedFields(source: string): string {
  return source.replaceAll(FIELD, (defined, name: string) =>
    source.includes(`set ${name}(`) ? defined : `this.${name} = void 0;`,
  );
}

/** A client's queue, which only needs to know about how large a run is. */
export function roughlySized(source: string): string {
  return SIZE.test(source)
    ? `${source.replace(SIZE, 'roughSize(item.item)')}\n${String(roughSize)}\n`
    : source;
}

/**
 * About how many bytes a value takes as JSON; its text becomes a part of another module. What is very deep, or comes after so
 * many values, counts little: a value may hold itself, or half of a program.
 * @param depth how far down it looks
 */
export function roughSize(value: unknown, depth = 64, left = { values: 20_000 }): number {
  if (typeof value === 'string') return Buffer.byteLength(value) + 2;
  if (typeof value !== 'object' || value === null || depth === 0 || left.values <= 0) return 8;
  if (ArrayBuffer.isView(value)) return value.byteLength * 4;
  let size = 2;
  if (Array.isArray(value)) {
    // The beginning of a long list stands for the rest.
    const looked_at = Math.min(value.length, 200);
    left.values -= looked_at;
    for (let at = 0; at < looked_at; at += 1) size += roughSize(value[at], depth - 1, left) + 1;
    return value.length > looked_at ? size * (value.length / looked_at) : size;
  }
  for (const key of Object.keys(value)) {
    left.values -= 1;
    size += key.length + 4;
    try {
      size += roughSize((value as Readonly<Record<string, unknown>>)[key], depth - 1, left);
    } catch {
      // A field that can't be read.
    }
  }
  return size;
}

/** A manager of LangChain's callbacks, by shape. */
export interface CallbackManager {
  metadata: Record<string, unknown>;
  inheritableMetadata: Record<string, unknown>;
  copy(...added: unknown[]): CallbackManager;
}

/** The text of `copy` in LangChain's core 0.3 and 1, without its spaces. */
const knownCopies: ReadonlySet<string> = new Set(['665ca70b246d85ed', 'c2cbc21c30cb9c7e']);

/** Each step copies its manager, and the original copies all metadata once more for each of its keys. */
export function copyLean(Manager: { readonly prototype: CallbackManager }): void {
  const { copy } = Manager.prototype;
  if (!knownCopies.has(digestOf(copy))) return;
  Manager.prototype.copy = function (...added) {
    const { metadata, inheritableMetadata: inherited } = this;
    this.metadata = {};
    try {
      const copied = copy.apply(this, added);
      copied.metadata = { ...metadata };
      copied.inheritableMetadata = passedOn(metadata, inherited);
      return copied;
    } finally {
      this.metadata = metadata;
    }
  };
}

/** The metadata that is handed down: what stands in both. Mostly that is all of it, which a spread copies more quickly. */
function passedOn<T>(metadata: Record<string, T>, inherited: object): Record<string, T> {
  const keys = Object.keys(metadata);
  if (keys.every((key) => Object.hasOwn(inherited, key))) return { ...metadata };
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(inherited, key)).map((key) => [key, metadata[key] as T]),
  );
}

const digestOf = (method: CallbackManager['copy']) =>
  createHash('sha256').update(String(method).replaceAll(/\s+/g, '')).digest('hex').slice(0, 16);
