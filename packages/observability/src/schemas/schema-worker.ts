import { parentPort } from 'node:worker_threads';
import { type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema';
import type { SchemaAnswer, SchemaFault, SchemaJob } from './schema-job.ts';

/**
 * Validates examples against the JSON Schemas of a dataset. Both are a tenant's: a pattern or a reference may take
 * for ever, so this runs on a thread of its own that is ended when it takes too long (`schema-checker.ts`).
 */

const decoder = new TextDecoder();
/** The limit on faults of one job; the others show up once these are corrected. */
const MAX_FAULTS = 20;

function draftOf(schema: unknown): SchemaDraft {
  const said =
    typeof schema === 'object' && schema !== null ? (schema as { $schema?: unknown }).$schema : undefined;
  const [, named] = /draft[-/]0?(4|7|2019-09|2020-12)/.exec(typeof said === 'string' ? said : '') ?? [];
  return (named as SchemaDraft | undefined) ?? '2020-12';
}

function validatorOf(text: string | undefined): Validator | undefined {
  if (text === undefined) return undefined;
  const schema = JSON.parse(text) as Schema;
  return new Validator(schema, draftOf(schema));
}

function answer({ schemas, items }: SchemaJob): SchemaAnswer {
  const validators = { inputs: validatorOf(schemas.inputs), outputs: validatorOf(schemas.outputs) };
  const faults: SchemaFault[] = [];
  for (const [index, item] of items.entries()) {
    for (const kind of ['inputs', 'outputs'] as const) {
      const json = item[kind];
      const validator = validators[kind];
      if (json === undefined || validator === undefined) continue;
      const { valid, errors } = validator.validate(JSON.parse(decoder.decode(json)));
      if (valid) continue;
      // The last error is the most exact.
      const fault = errors.at(-1);
      faults.push({
        index,
        kind,
        place: fault?.instanceLocation ?? '#',
        sentence: fault?.error ?? 'is invalid',
      });
      if (faults.length >= MAX_FAULTS) return { faults };
    }
  }
  return { faults };
}

function attempt(job: SchemaJob): SchemaAnswer {
  try {
    return answer(job);
  } catch (error) {
    return { failure: String(error instanceof Error ? error.message : error).slice(0, 300) };
  }
}

parentPort?.on('message', (job: SchemaJob) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  parentPort?.postMessage(attempt(job));
});
