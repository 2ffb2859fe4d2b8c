import { TimeSlice } from '@roadstead/kit';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import { transformed } from '../schemas/transformation-rules.ts';
import { readJson } from '../decoding/sent-json-codec.ts';
import { packOne } from '../records/payload-packing.ts';
import { walkScalars } from '../search/entry-rules.ts';
import { Words } from '../search/word-rules.ts';
import { requireObject } from './example-body-codec.ts';
import type { ExampleContext } from './example-context.ts';
import type { ExamplePayloadKind } from './example-row.ts';
import type { WrittenPayload } from './example-write-store.ts';

/** Payloads of examples on their way into a dataset: transformed and checked as the dataset demands, then packed. */

export interface Payloads {
  readonly inputs: Uint8Array | undefined;
  readonly outputs: Uint8Array | undefined;
}

export interface WrittenPayloads {
  readonly inputs: WrittenPayload | undefined;
  readonly outputs: WrittenPayload | undefined;
}

/** The limit on scalars of one payload that search finds. */
const MAX_SCALARS = 10_000;

/** The prepared payloads, in the order of the examples. @throws Problem `malformed` that names what does not fit. */
export async function writtenPayloads(
  { schemas }: Pick<ExampleContext, 'schemas'>,
  {
    dataset,
    examples,
  }: {
    readonly dataset: DatasetRow;
    readonly examples: readonly (Payloads & { readonly at: string; readonly run_tools?: unknown })[];
  },
): Promise<WrittenPayloads[]> {
  const slice = new TimeSlice();
  const ready: (Payloads & { readonly at: string })[] = [];
  for (const example of examples) {
    ready.push({ at: example.at, ...(await transformedPayloads(dataset, example)) });
    if (slice.isOver()) await slice.next();
  }
  await schemas.requireFit(dataset, ready);
  const written: WrittenPayloads[] = [];
  for (const payloads of ready) {
    written.push({
      inputs: await writtenPayload('inputs', payloads.inputs, slice),
      outputs: await writtenPayload('outputs', payloads.outputs, slice),
    });
    if (slice.isOver()) await slice.next();
  }
  return written;
}

async function transformedPayloads(
  dataset: DatasetRow,
  { inputs, outputs, at, run_tools }: Payloads & { readonly at: string; readonly run_tools?: unknown },
): Promise<Payloads> {
  if (dataset.transformations === null || dataset.transformations.length === 0) return { inputs, outputs };
  const values: Partial<Record<ExamplePayloadKind, unknown>> = {};
  for (const [kind, json] of [
    ['inputs', inputs],
    ['outputs', outputs],
  ] as const)
    if (json !== undefined) values[kind] = (await readJson(json))?.value;
  const result = transformed(values, { dataset, run_tools });
  const textOf = async (kind: ExamplePayloadKind) => {
    if (result[kind] === undefined) return undefined;
    const json = Buffer.from(JSON.stringify(result[kind]));
    await requireObject(json, [at, kind]);
    return json;
  };
  // A payload that no transformation touched keeps its bytes.
  const touched = new Set(dataset.transformations.map(({ path }) => path[0]));
  return {
    inputs: touched.has('inputs') ? await textOf('inputs') : inputs,
    outputs: touched.has('outputs') ? await textOf('outputs') : outputs,
  };
}

async function writtenPayload(
  kind: ExamplePayloadKind,
  json: Uint8Array | undefined,
  slice: TimeSlice,
): Promise<WrittenPayload | undefined> {
  if (json === undefined) return undefined;
  const words = new Words();
  let seen = 0;
  await walkScalars(
    json,
    {
      key: () => true,
      scalar: (_key, value) => {
        if (typeof value === 'string') words.add(kind, value);
        seen += 1;
        return seen < MAX_SCALARS && words.takes(kind);
      },
    },
    slice,
  );
  return { packed: await packOne(json), words: String(words) };
}
