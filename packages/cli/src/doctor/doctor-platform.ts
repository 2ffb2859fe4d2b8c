import { ApiError } from '@roadstead/contracts';
import { z } from 'zod';
import type { CommandCall } from '../command-line/command.ts';
import type { PlatformFacts } from './doctor-rules.ts';
import { chosenTarget, findTarget } from '../target/target.ts';

const Ready = z.object({ ok: z.literal(true), warnings: z.array(z.string()) });
const PATIENCE_MS = 5000;

/** Queries the platform that commands talk to. */
export async function readPlatform(values: CommandCall['values']): Promise<PlatformFacts> {
  const { url, by } = await chosenTarget(values);
  const seen = await readState(url);
  const told =
    seen.state === 'ready' ? await readAsCaller(values) : { key: 'unknown' as const, listeners: [] };
  return { url, is_local: by === 'this machine', ...seen, ...told };
}

async function readState(url: string): Promise<Pick<PlatformFacts, 'state' | 'warnings' | 'clock_skew_s'>> {
  const silent = { warnings: [], clock_skew_s: undefined };
  const answer = await fetch(`${url}/ok`, {
    signal: AbortSignal.timeout(PATIENCE_MS),
    redirect: 'manual',
  }).catch(() => undefined);
  if (answer === undefined) return { state: 'away', ...silent };
  const text = await answer.text().catch(() => '');
  const ready = Ready.safeParse(jsonOf(text));
  if (answer.status === 503) return { state: 'starting', ...silent };
  if (!ready.success) return { state: 'another program', ...silent };
  const date = Date.parse(answer.headers.get('date') ?? '');
  return {
    state: 'ready',
    warnings: ready.data.warnings,
    clock_skew_s: Number.isNaN(date) ? undefined : (date - Date.now()) / 1000,
  };
}

/** Without the right to read them, listeners are not reported on. */
async function readAsCaller(
  values: CommandCall['values'],
): Promise<Pick<PlatformFacts, 'key' | 'listeners'>> {
  const target = await findTarget(values).catch(() => undefined);
  if (target === undefined) return { key: 'none', listeners: [] };
  try {
    const { scopes } = await target.identity.readCaller({});
    const { resources } = await target.control
      .listListeners({ query: { limit: 100 } })
      .catch(() => ({ resources: [] }));
    const listeners = resources.map(({ compute_id, isolation, resource_limits, lease_expires_at }) => ({
      compute_id,
      isolation,
      resource_limits,
      is_alive: lease_expires_at !== null && Date.parse(lease_expires_at) > Date.now(),
    }));
    return { key: { scopes }, listeners };
  } catch (error) {
    const is_refused = error instanceof ApiError && error.status === 401;
    return { key: is_refused ? 'refused' : 'unknown', listeners: [] };
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
