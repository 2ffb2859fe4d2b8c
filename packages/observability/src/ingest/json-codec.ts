import { isUuid, malformed } from '@roadstead/kit';
import { elementsOf, membersOf } from './json-slices-codec.ts';
import { runOperationOf, type SentPayload } from './run-fields-rules.ts';
import {
  type PayloadKind,
  payloadKinds,
  type Operations,
  type RunOperation,
  type Verb,
} from './run-operation.ts';
import { asObject, parseObject, payloadOf } from './sent-json-codec.ts';

/** The JSON dialects of ingestion: `/runs/batch`, `POST /runs`, `PATCH /runs/{run_id}`. */

const of = (runs: readonly RunOperation[]): Operations => ({ runs, feedback: [], attachments: [] });

/** `{post: [run…], patch: [run…]}`, either of which may be missing. */
export function decodeBatch(json: Uint8Array): Operations {
  const body = parseObject(json, 'body');
  const members = membersOf(json);
  const verbs = ['post', 'patch'] as const;
  return of(
    verbs.flatMap((verb) => {
      const values = body[verb] ?? [];
      if (!Array.isArray(values)) throw malformed([verb], 'is not a list');
      const texts = values.length === 0 ? [] : elementsOf(members.get(verb) ?? new Uint8Array());
      return texts.map((text, index) => runOf(verb, `${verb}.${index}`, text, values[index]));
    }),
  );
}

export function decodeRun(json: Uint8Array): Operations {
  return of([runOf('post', 'body', json, parseObject(json, 'body'))]);
}

/** @param run_id of the address; it wins over one in the body. */
export function decodePatch(json: Uint8Array, run_id: string): Operations {
  if (!isUuid(run_id)) throw malformed(['run_id'], 'is not a UUID');
  return of([runOf('patch', 'body', json, { ...parseObject(json, 'body'), id: run_id })]);
}

function runOf(verb: Verb, at: string, text: Uint8Array, value: unknown): RunOperation {
  const main = asObject(value, at);
  const id = main['id'];
  if (typeof id !== 'string' || !isUuid(id)) throw malformed([`${at}.id`], 'is not a UUID');
  return runOperationOf({ at, verb, run_id: id.toLowerCase(), main, payloads: inlinePayloads(text, main) });
}

/** The payloads that stand among a run's other fields. */
export function inlinePayloads(
  text: Uint8Array,
  main: Readonly<Record<string, unknown>>,
): Partial<Record<PayloadKind, SentPayload>> {
  const present = payloadKinds.filter((kind) => main[kind] !== undefined && main[kind] !== null);
  if (present.length === 0) return {};
  const members = membersOf(text);
  return Object.fromEntries(
    present.flatMap((kind) => {
      const json = members.get(kind);
      return json === undefined ? [] : [[kind, payloadOf(kind, json, () => main[kind])]];
    }),
  );
}
