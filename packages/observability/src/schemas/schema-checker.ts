import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { Admission, type Bound, malformed, Problem } from '@roadstead/kit';
import type { DatasetRow } from '../dataset-records/dataset-row.ts';
import type { SchemaAnswer, SchemaJob } from './schema-job.ts';
import type { InWorkspace } from '../values/keys.ts';

/**
 * Validates examples against the schemas of their dataset on a thread of its own, which is ended when it takes too
 * long.
 */

const LIMIT_MS = 5000;
/** The time without a job after which the thread ends. */
const IDLE_MS = 30_000;
const MAX_HEAP_MB = 512;

type SchemaName = 'inputs_schema_definition' | 'outputs_schema_definition';
type Schemas = Pick<DatasetRow, SchemaName | 'workspace_id'>;

export interface CheckedPayloads {
  /** The name of the example as the client knows it. */
  readonly at: string;
  readonly inputs: Uint8Array | undefined;
  readonly outputs: Uint8Array | undefined;
}

/** One thread checks them all. */
const checkBound: Bound<string> = { size: 1, owner: (workspace_id) => [workspace_id] };

export class SchemaChecker implements AsyncDisposable {
  readonly #limit_ms: number;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Workspaces take turns, so that nobody waits for all requests of another one. */
  readonly #turns = new Admission(checkBound);
  readonly #jobs = new Set<Promise<unknown>>();

  constructor({ limit_ms = LIMIT_MS }: { readonly limit_ms?: number } = {}) {
    this.#limit_ms = limit_ms;
  }

  /** @throws Problem `malformed` where one of these is no JSON Schema. */
  async requireSchemas({
    workspace_id,
    ...schemas
  }: InWorkspace & {
    readonly [K in SchemaName]?: Schemas[K] | undefined;
  }): Promise<void> {
    for (const name of ['inputs_schema_definition', 'outputs_schema_definition'] as const) {
      const schema = schemas[name];
      if (schema === null || schema === undefined) continue;
      const job = { schemas: { inputs: JSON.stringify(schema) }, items: [{ inputs: Buffer.from('{}') }] };
      const answer = await this.#run(workspace_id, job);
      if ('failure' in answer) throw malformed(['body', name], 'is not a JSON Schema that can be applied');
    }
  }

  /** @throws Problem `malformed` that names the example and its faulty value. */
  async requireFit(dataset: Schemas, payloads: readonly CheckedPayloads[]): Promise<void> {
    const { inputs_schema_definition: inputs, outputs_schema_definition: outputs } = dataset;
    if ((inputs ?? outputs ?? null) === null) return;
    const answer = await this.#run(dataset.workspace_id, {
      schemas: {
        inputs: inputs === null ? undefined : JSON.stringify(inputs),
        outputs: outputs === null ? undefined : JSON.stringify(outputs),
      },
      // The payloads are copied, since sending transfers the whole buffer.
      items: payloads.map((one) => ({
        inputs: inputs === null ? undefined : one.inputs?.slice(),
        outputs: outputs === null ? undefined : one.outputs?.slice(),
      })),
    });
    if ('failure' in answer)
      throw new Problem('malformed', 'The dataset’s schema can’t be applied to these examples.', {
        hint: 'Change the schema, or remove it.',
      });
    if (answer.faults.length === 0) return;
    throw new Problem('malformed', 'Examples do not fit the schema of their dataset.', {
      issues: answer.faults.map(({ index, kind, place, sentence }) => ({
        loc: [...(payloads[index]?.at.split('.') ?? []), kind, ...place.split('/').slice(1)],
        msg: `does not fit the dataset’s schema: ${sentence}`,
        type: 'schema_mismatch',
      })),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#jobs);
    await this.#end();
  }

  async #run(workspace_id: string, job: SchemaJob): Promise<SchemaAnswer> {
    const done = this.#inTurn(workspace_id, job);
    this.#jobs.add(done);
    try {
      return await done;
    } finally {
      this.#jobs.delete(done);
    }
  }

  async #inTurn(workspace_id: string, job: SchemaJob): Promise<SchemaAnswer> {
    using _turn = await this.#turns.take(checkBound.owner(workspace_id));
    return await this.#ask(job);
  }

  async #ask(job: SchemaJob): Promise<SchemaAnswer> {
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= startWorker());
    const { promise, resolve, reject } = Promise.withResolvers<SchemaAnswer>();
    const limit = setTimeout(() => reject(tooLong(this.#limit_ms)), this.#limit_ms);
    const failed = (cause: unknown) => reject(tooMuch(cause));
    worker.once('message', resolve).once('error', failed);
    try {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      worker.postMessage(job);
      return await promise;
    } catch (error) {
      await this.#end();
      throw error;
    } finally {
      clearTimeout(limit);
      worker.off('message', resolve).off('error', failed);
      this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
    }
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

function startWorker(): Worker {
  const worker = new Worker(
    createRequire(import.meta.url).resolve('@roadstead/observability/schema-worker'),
    {
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      env: {},
    },
  );
  // A thread that is ended while it fails has nobody to report to.
  worker.on('error', () => undefined);
  worker.unref();
  return worker;
}

const tooLong = (limit_ms: number) =>
  new Problem(
    'malformed',
    `Holding the examples against the dataset’s schema takes longer than ${limit_ms / 1000} s.`,
    {
      hint: 'Use a simpler schema, or send fewer examples at once.',
    },
  );
const tooMuch = (cause: unknown) =>
  new Problem('malformed', 'Holding the examples against the dataset’s schema takes too much memory.', {
    cause,
  });
