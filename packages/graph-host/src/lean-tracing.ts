import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Makes less of what tracing costs a graph, in two places of the user's own packages, each of which takes about a
 * tenth of a traced run's time. What they do stays the same, and where they read otherwise than known they are left alone.
 */

type LoadHook = NonNullable<Parameters<typeof registerHooks>[0]['load']>;

const RUN_TREES = /\/langsmith\/(?:dist|lib)\/run_trees\.[cm]?js$/;
const FIELD =
  /Object\.defineProperty\(this, "(\w+)", \{\s*enumerable: true,\s*configurable: true,\s*writable: true,\s*value: void 0\s*\}\);/g;

/** As a hook of loading: a tree of runs is made several times for each step, with some thirty fields. */
export const loadLean: LoadHook = (url, context, next) => {
  const loaded = next(url, context);
  if (!RUN_TREES.test(url)) return loaded;
  const source = loaded.source ?? readFileSync(fileURLToPath(url));
  return {
    ...loaded,
    source: assignedFields(
      typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString(),
    ),
  };
};

/** Fields of a class, assigned instead of defined one by one, which is slow. */
export function assignedFields(source: string): string {
  return source.replaceAll(FIELD, (defined, name: string) =>
    source.includes(`set ${name}(`) ? defined : `this.${name} = void 0;`,
  );
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
      copied.inheritableMetadata = Object.fromEntries(
        Object.entries(metadata).filter(([key]) => Object.hasOwn(inherited, key)),
      );
      return copied;
    } finally {
      this.metadata = metadata;
    }
  };
}

const digestOf = (method: CallbackManager['copy']) =>
  createHash('sha256').update(String(method).replaceAll(/\s+/g, '')).digest('hex').slice(0, 16);
