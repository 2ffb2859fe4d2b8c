import { isUuid, Problem } from '@roadstead/kit';
import { isRecord } from './agent-task-codec.ts';

/** Parses examples from the inputs of tools. */

type ExampleFields = Readonly<Record<string, unknown>>;

export const SPLIT_DOC = 'inputs, outputs and metadata are objects, split a name or a list of them.';

const known: ReadonlySet<string> = new Set(['id', 'inputs', 'outputs', 'metadata', 'split']);
const isName = (value: unknown) => typeof value === 'string' && value !== '';

/** @throws Problem that names the fault */
export function newExample(said: ExampleFields, at: string): ExampleFields {
  if (!isRecord(said['inputs'])) throw new Problem('invalid', `${at}.inputs must be an object.`);
  return checked(said, at);
}

/** @throws Problem that names the fault */
export function changedExample(said: ExampleFields, at: string): ExampleFields & { readonly id: string } {
  const { id } = said;
  if (typeof id !== 'string' || !isUuid(id))
    throw new Problem('invalid', `${at}.id must be the id of an example.`);
  if (Object.keys(said).length === 1) throw new Problem('invalid', `${at} says nothing that should change.`);
  return { ...checked(said, at), id: id.toLowerCase() };
}

function checked(said: ExampleFields, at: string): ExampleFields {
  const entries = Object.entries(said).filter(([, value]) => value !== null);
  for (const [name, value] of entries) {
    if (!known.has(name))
      throw new Problem(
        'invalid',
        `${at} has a member that is not known: it may have ${[...known].join(', ')}.`,
      );
    if (name === 'id' && !(typeof value === 'string' && isUuid(value)))
      throw new Problem('invalid', `${at}.id must be a uuid.`);
    if (name === 'split' && !isName(value) && !(Array.isArray(value) && value.every(isName)))
      throw new Problem('invalid', `${at}.split must be a name or a list of names.`);
    if (!['id', 'split'].includes(name) && !isRecord(value))
      throw new Problem('invalid', `${at}.${name} must be an object.`);
  }
  return Object.fromEntries(entries);
}
