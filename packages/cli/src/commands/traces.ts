import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@roadstead/contracts';
import { isOutage } from '@roadstead/kit/client';
import { patiently } from '../client/patience.ts';
import { safeJson } from '../client/safe-text.ts';
import { findTarget } from '../client/target.ts';
import { listTraceDumps, readTraceDump, type TraceDump } from '../client/trace-dumps.ts';
import { type Command, targetOptions } from './command.ts';

export const traces: Command = {
  name: 'traces',
  operands: 'replay DIR',
  summary: 'Send traces again that LangSmith’s SDKs could not send and kept in LANGSMITH_FAILED_TRACES_DIR.',
  options: {
    delete: { type: 'boolean', doc: 'remove each file once what it holds is stored' },
    ...targetOptions,
  },
  run: async ({ operands: [, folder = ''], values, terminal }) => {
    const target = await findTarget(values);
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
  },
};

function sentence(all: number, sent: number): string {
  if (all === 0) return 'The folder holds no dumps of traces (trace_*.json).';
  const left = all === sent ? '' : ` The other ${all - sent} stay where they are.`;
  return `${sent} of ${all} requests are stored.${left}`;
}

/** Runs are known by their ids: what is stored already is not stored twice. */
async function senderTo({ url, api_key }: { readonly url: string; readonly api_key: string }) {
  // Loaded by this command only: the contract is large.
  const { observability } = await import('@roadstead/contracts/observability');
  const client = createClient(observability, {
    base_url: url,
    headers: { 'x-api-key': api_key },
    fetch: (request: Request) => fetch(request, { redirect: 'manual' }),
  });
  const calls = { 'runs/multipart': client.ingestMultipart, 'runs/batch': client.ingestBatch };
  return async ({ endpoint, headers, body }: TraceDump): Promise<string | undefined> => {
    const { message, issues = [] } = await calls[endpoint]({ raw: body, headers });
    return issues.length === 0 ? undefined : message;
  };
}
