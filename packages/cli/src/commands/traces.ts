import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isOutage } from '@roadstead/kit';
import { patiently } from '../target/patience.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { findTarget, type Target } from '../target/target.ts';
import { listTraceDumps, readTraceDump, type TraceDump } from '../traces/trace-dumps.ts';
import { type Command, type CommandCall, targetOptions } from '../command-line/command.ts';
import { type Client, createClient } from '@roadstead/contracts';
import type { observability } from '@roadstead/contracts/observability';
import { setTimeout } from 'node:timers/promises';

export const traces: Command = {
  name: 'traces',
  operands: 'replay DIR | reprice',
  summary:
    'Send traces again that LangSmith’s SDKs could not send and kept in LANGSMITH_FAILED_TRACES_DIR; or recompute the costs of stored runs with the present prices.',
  options: {
    delete: { type: 'boolean', doc: 'replay: remove each file once what it holds is stored' },
    'no-wait': { type: 'boolean', doc: 'reprice: do not wait for the end' },
    ...targetOptions,
  },
  examples: [
    {
      call: 'traces replay ./failed-traces --delete',
      does: 'sends what an SDK kept, and removes what is stored',
    },
    { call: 'traces reprice', does: 'recomputes the costs' },
  ],
  completes: { DIR: 'folders' },
  run: async (call) => {
    const target = await findTarget(call.values);
    const [action, folder = ''] = call.operands;
    return action === 'reprice' ? reprice(target, call) : replay(target, folder, call);
  },
};

async function replay(target: Target, folder: string, { values, terminal }: CommandCall): Promise<number> {
  const send = await senderTo(target);
  const names = await listTraceDumps(folder);
  const failed: { file: string; message: string }[] = [];
  for (const [index, name] of names.entries()) {
    terminal.progress(`${index + 1} of ${names.length}: ${name}`);
    try {
      const dump = await readTraceDump(folder, name);
      const note = await patiently(() => send(dump));
      if (note !== undefined) terminal.progress(`${name}: ${note}`);
      if (values['delete'] === true) await rm(join(folder, name));
    } catch (error) {
      if (isOutage(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      failed.push({ file: name, message });
      terminal.err(`${name}: ${message}`);
    }
  }
  const sent = names.length - failed.length;
  terminal.out(values['json'] === true ? safeJson({ sent, failed }) : sentence(names.length, sent));
  return failed.length === 0 ? 0 : 1;
}

async function reprice(target: Target, { values, terminal }: CommandCall): Promise<number> {
  const client = await observabilityOf(target);
  const told = (one: PriceApplication, text: string) =>
    terminal.out(values['json'] === true ? safeJson(one) : text);
  const begun = await client.applyModelPrices({ body: {} });
  if (values['no-wait'] === true) {
    told(begun, 'The costs of stored runs are being recomputed.');
    return 0;
  }
  const onProgress = ({ runs_seen }: PriceApplication) => terminal.progress(`${runs_seen} runs seen`);
  const done = await followApplication(client, { begun, onProgress });
  told(done, `The costs of ${done.runs_changed} of ${done.runs_seen} runs changed.`);
  return 0;
}

function sentence(all: number, sent: number): string {
  if (all === 0) return 'The folder holds no dumps of traces (trace_*.json).';
  const left = all === sent ? '' : ` The other ${all - sent} stay where they are.`;
  return `${sent} of ${all} requests are stored.${left}`;
}

/** Runs are identified by their ids: stored ones are not stored twice. */
async function senderTo(target: Target) {
  const client = await observabilityOf(target);
  const calls = { 'runs/multipart': client.ingestMultipart, 'runs/batch': client.ingestBatch };
  return async ({ endpoint, headers, body }: TraceDump): Promise<string | undefined> => {
    const { message, issues = [] } = await calls[endpoint]({ raw: body, headers });
    return issues.length === 0 ? undefined : message;
  };
}

/** Loaded only where it is used: the contract is large. */
async function observabilityOf({ url, api_key }: Target): Promise<Client<typeof observability>> {
  const { observability: contract } = await import('@roadstead/contracts/observability');
  return createClient(contract, {
    base_url: url,
    headers: { 'x-api-key': api_key },
    fetch: (request, init) => fetch(request, { ...init, redirect: 'manual' }),
  });
}

type PriceApplication = Awaited<ReturnType<Client<typeof observability>['applyModelPrices']>>;

const POLL_MS = 500;

/**
 * Waits until the prices are applied to all stored runs. An application that is requested meanwhile starts from the
 * beginning, and is waited for.
 */
async function followApplication(
  client: Client<typeof observability>,
  {
    begun,
    onProgress,
  }: { readonly begun: PriceApplication; readonly onProgress: (seen: PriceApplication) => void },
): Promise<PriceApplication> {
  let seen = begun;
  while (seen.status !== 'done') {
    await setTimeout(POLL_MS);
    seen = await patiently(() => client.readModelPriceApplication({}));
    onProgress(seen);
  }
  return seen;
}
