import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Problem } from '@roadstead/kit';

/**
 * Reads the files that LangSmith's SDKs leave in `LANGSMITH_FAILED_TRACES_DIR` where traces could not be sent: one
 * for each request.
 */

/** The addresses to which they send traces. */
const endpoints = ['runs/multipart', 'runs/batch'] as const;
/**
 * The headers without which the body could not be read; all others are dropped, since keys of another server stay
 * here.
 */
const replayed: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

const Envelope = z.object({
  version: z.literal(1),
  endpoint: z.enum(endpoints),
  headers: z.record(z.string(), z.string()),
  body_base64: z.base64(),
});

export interface TraceDump {
  readonly endpoint: (typeof endpoints)[number];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The dumps of a folder, oldest first: their names begin with the time. */
export async function listTraceDumps(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new Problem('not_found', `The folder ${folder} can't be read.`, { cause });
  });
  return names.filter((name) => /^trace_.*\.json$/.test(name)).sort(byTime);
}

/** Some file names have seconds with a fraction, some milliseconds. */
function byTime(a: string, b: string): number {
  const timeOf = (name: string) => {
    const time = Number(/^trace_([\d.]+)_/.exec(name)?.[1] ?? 0);
    return time < 100_000_000_000 ? time * 1000 : time;
  };
  return timeOf(a) - timeOf(b) || (a < b ? -1 : 1);
}

/** @throws Problem `invalid` where the file is no dump in a format that this version knows. */
export async function readTraceDump(folder: string, name: string): Promise<TraceDump> {
  const text = await readFile(join(folder, name), 'utf8').catch((cause: unknown) => {
    throw new Problem('invalid', 'can’t be read', { cause });
  });
  const envelope = Envelope.safeParse(parsed(text));
  if (!envelope.success) {
    const [issue] = envelope.error.issues;
    const at = issue?.path.join('.') ?? '';
    throw new Problem('invalid', `is no dump of version 1${at === '' ? '' : `: ${at} is wrong or missing`}`);
  }
  const { endpoint, headers, body_base64 } = envelope.data;
  const kept = Object.entries(headers).filter(([header]) => replayed.has(header.toLowerCase()));
  return {
    endpoint,
    headers: Object.fromEntries(kept),
    body: Uint8Array.from(Buffer.from(body_base64, 'base64')),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
