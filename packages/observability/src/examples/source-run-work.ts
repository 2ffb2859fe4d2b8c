import { membersOf } from '@roadstead/json';
import { Problem, TimeSlice } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import { readAttachments } from '../attachments/attachment-store.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { type StoredPayload, wholePayload } from '../records/payload-packing.ts';
import { readPayloads } from '../records/payload-store.ts';
import { findRun } from '../queries/run-query-store.ts';
import type { SentExample } from './example-body-codec.ts';
import type { ExampleContext } from './example-context.ts';
import type { ExampleAttachment } from './example-row.ts';

/** The parts that an example takes from its source run. */
export interface SourceRun {
  readonly inputs: Uint8Array | undefined;
  readonly outputs: Uint8Array | undefined;
  /** Files of the run; undefined where the example keeps the files that were sent. */
  readonly attachments: readonly ExampleAttachment[] | undefined;
  readonly tools: unknown;
}

/** Undefined where the example takes nothing over. @throws Problem `not_found` where no such run exists. */
export async function readSourceRun(
  { db, now }: Pick<ExampleContext, 'now'> & { readonly db: Queryable },
  workspace_id: string,
  { fields }: SentExample,
): Promise<SourceRun | undefined> {
  const { source_run_id, use_source_run_io, use_source_run_attachments } = fields;
  const names = new Set(use_source_run_attachments);
  if (use_source_run_io !== true && names.size === 0) return undefined;
  const run_id = source_run_id?.toLowerCase() ?? '';
  const row =
    run_id === '' ? undefined : await findRun(db, { workspace_id, run_id, now_ms: Date.parse(now()) });
  if (row === undefined) throw new Problem('not_found', 'There is no such source run.');
  const found = (await readAttachments(db, { workspace_id, run_ids: [run_id] })).get(run_id) ?? [];
  const attachments = found
    .filter(({ name }) => use_source_run_io === true || names.has(name))
    .map(({ name, content_type, digest, size }) => ({ name, content_type, digest, size }));
  if (use_source_run_io !== true)
    return { inputs: undefined, outputs: undefined, attachments, tools: undefined };
  const payloads = (
    await readPayloads(db, row, { workspace_id, run_ids: [run_id], kinds: ['inputs', 'outputs', 'extra'] })
  ).get(run_id);
  return {
    inputs: (await whole(payloads?.inputs)) ?? Buffer.from('{}'),
    outputs: await whole(payloads?.outputs),
    attachments,
    tools: await toolsIn(await whole(payloads?.extra)),
  };
}

const whole = async (payload: StoredPayload | undefined) => payload && wholePayload(payload);

async function toolsIn(extra: Uint8Array | undefined): Promise<unknown> {
  const slice = new TimeSlice();
  const params = extra && (await membersOf(extra, slice))?.get('invocation_params');
  const tools = params && (await membersOf(params, slice))?.get('tools');
  return tools && (await readJson(tools))?.value;
}
