import { JSON_LIMITS } from '@roadstead/json';
import type { AttributeValue } from './span.ts';

/** Lists and objects that instrumentations spread over attributes: `0.message.role`, `0.tool_calls.1.function.name`. */

type Tree = Map<string, Tree | AttributeValue>;

const MAX_LEVELS = 16;
/** Names that OpenInference puts around each item of a list. */
const wrappers: ReadonlySet<string> = new Set(['message', 'tool_call', 'message_content', 'document']);

const { max_depth: MAX_JSON_DEPTH } = JSON_LIMITS;

/** A text of at most so many characters is parsed at once. */
export const SMALL_CHARS = 65_536;

/** Whether a small text, if it is JSON, is nested too deeply to be read as more than a text. */
export function isTooDeep(json: string): boolean {
  if (json.length <= 2 * MAX_JSON_DEPTH) return false;
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < json.length && depth <= MAX_JSON_DEPTH; at += 1) {
    const char = json[at];
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > MAX_JSON_DEPTH;
}

type Entry = readonly [path: string, value: AttributeValue];

export interface NestedValue {
  readonly value: unknown;
  /** Paths that exclude each other: the first of them counts. */
  readonly excluded: ReadonlySet<string>;
}

/** @param entries the values by their dotted paths. */
export function nestedOf(entries: readonly Entry[]): NestedValue {
  const tree: Tree = new Map();
  const excluded = new Set<string>();
  for (const [path, value] of entries) {
    const names = path.split('.');
    const last = names.splice(MAX_LEVELS - 1).join('.') || names.pop();
    let at: Tree | undefined = tree;
    for (const name of names) at = at && below(at, name);
    if (at === undefined || last === undefined || at.has(last)) excluded.add(path);
    else at.set(last, value);
  }
  return { value: built(tree), excluded };
}

function below(tree: Tree, name: string): Tree | undefined {
  const found = tree.get(name);
  if (found instanceof Map) return found;
  if (found !== undefined) return undefined;
  const made: Tree = new Map();
  tree.set(name, made);
  return made;
}

function built(tree: Tree): unknown {
  const members = [...tree].map(
    ([name, value]) => [name, value instanceof Map ? built(value) : value] as const,
  );
  if (members.length > 0 && members.every(([name]) => /^\d{1,6}$/.test(name)))
    return members.sort(([a], [b]) => Number(a) - Number(b)).map(([, value]) => unwrapped(value));
  return Object.fromEntries(members);
}

/** Members beside the wrapped object belong to it, unless both have them. */
function unwrapped(item: unknown): unknown {
  if (!isObject(item)) return item;
  const wrapped = Object.entries(item).find(([name, value]) => wrappers.has(name) && isObject(value));
  if (wrapped === undefined) return item;
  const [name, inner] = wrapped;
  const beside = Object.entries(item).filter(([other]) => other !== name);
  if (beside.some(([other]) => Object.hasOwn(inner as object, other))) return item;
  return { ...(inner as object), ...Object.fromEntries(beside) };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
