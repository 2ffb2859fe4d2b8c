import type { Principal } from '@roadstead/contracts';
import type { Cron as PresentedCron, cronEndpoints, CronCreate } from '@roadstead/contracts/agent-server';
import type { Handlers } from '@roadstead/http';
import { Problem, systemClock, type Clock } from '@roadstead/kit';
import { containmentOf, matchesFilters } from '../../access/filter-rules.ts';
import type { Permission, AccessRules, Caller, MetadataFilters } from '../../access/caller.ts';
import { nextRun, type CronLoop } from '../../crons/cron-loop.ts';
import { checkTimes, type CronTimes, endTimeOf } from '../../crons/cron-rules.ts';
import {
  countCrons,
  type CronSearch,
  deleteCron,
  findCron,
  insertCron,
  replaceCron,
  searchCrons,
} from '../../crons/cron-store.ts';
import type { Cron } from '../../crons/cron.ts';
import { pageHeaders } from '../answers.ts';
import { requireHold } from '../permission.ts';
import { marksOf, payloadOf, presentCron } from './cron-presentation-rules.ts';
import type { Database } from '@roadstead/postgres';

type CronHandlers = Handlers<typeof cronEndpoints>;
type Fields = Readonly<Record<string, unknown>>;

/** The parts of the agent server that crons need. */
interface CronFace {
  readonly db: Database;
  /** The engine's epoch. */
  readonly epoch: number;
  readonly loop: Pick<CronLoop, 'expect'>;
  readonly access: AccessRules;
  readonly callerOf: (principal: Principal) => Caller;
  /** Finds an assistant that the caller may run, by its id or by the id of the graph that it belongs to. */
  readonly findAssistant: (
    name: string,
    caller: Caller,
  ) => Promise<{ readonly assistant_id: string; readonly graph_id: string } | undefined>;
  /** Finds a thread that passes these filters. */
  readonly findThread: (thread_id: string, filters: MetadataFilters | null) => Promise<object | undefined>;
  /** @throws Problem where a run may not name this webhook */
  readonly checkWebhook: (url: string) => void;
  readonly clock?: Clock;
}

const noSuchCron = () => new Problem('not_found', 'There is no such cron.');
const replaced = () =>
  new Problem('unavailable', 'Another process has taken this deployment over; try again.');

export function createCronHandlers(face: CronFace): CronHandlers {
  return {
    createCron: async ({ body, principal }) => create(face, { body, principal, thread_id: null }),
    createThreadCron: async ({ body, principal, params }) =>
      create(face, { body, principal, thread_id: params.thread_id }),
    searchCrons: async ({ body, principal }) => search(face, { body, principal }),
    countCrons: async ({ body, principal }) => count(face, { body, principal }),
    readCron: async ({ params, principal }) =>
      presentCron(await visible(face, { principal, action: 'read', cron_id: params.cron_id })),
    updateCron: async (call) => update(face, call),
    deleteCron: async ({ params: { cron_id }, principal }) => {
      await visible(face, { principal, action: 'delete', cron_id });
      if (!(await deleteCron(face.db, { cron_id, epoch: face.epoch }))) throw replaced();
    },
  };
}

interface PermissionRequest {
  readonly principal: Principal;
  readonly action: 'create' | 'read' | 'update' | 'delete' | 'search';
  readonly value: Fields;
}

function allowed(
  { access, callerOf }: CronFace,
  { principal, action, value }: PermissionRequest,
): Promise<Permission> {
  return access.authorize(callerOf(principal), { resource: 'crons', action, value });
}

/** A cron that the caller may act on; any other is reported as missing. */
async function visible(
  face: CronFace,
  { cron_id, ...request }: Omit<PermissionRequest, 'value'> & { readonly cron_id: string },
): Promise<Cron> {
  const { filters } = await allowed(face, { ...request, value: { cron_id } });
  const cron = await findCron(face.db, cron_id);
  if (cron === undefined || !matchesFilters(cron.metadata, filters)) throw noSuchCron();
  return cron;
}

async function create(
  face: CronFace,
  {
    body,
    principal,
    thread_id,
  }: { readonly body: CronCreate; readonly principal: Principal; readonly thread_id: string | null },
): Promise<PresentedCron> {
  const { db, epoch, loop, access, callerOf, clock = systemClock } = face;
  const now = new Date(clock.now());
  const { schedule, timezone = null, enabled, webhook } = body;
  checkTimes({ schedule, timezone }, now);
  if (isGiven(webhook)) face.checkWebhook(webhook);
  const caller = callerOf(principal);
  const assistant = await face.findAssistant(body.assistant_id, caller);
  if (assistant === undefined) throw new Problem('not_found', 'There is no such assistant.');
  const { assistant_id, graph_id } = assistant;
  const times = { schedule, timezone, end_time: endTimeOf(body.end_time), enabled: enabled ?? true };
  const given = { ...body.metadata };
  const value = { ...payloadOf(body), ...times, assistant_id, thread_id, metadata: given };
  const permission = await allowed(face, { principal, action: 'create', value });
  // Its runs are the caller's: a run that is forbidden now must not begin later.
  const onThread = await access.authorize(caller, { resource: 'threads', action: 'create_run', value });
  if (thread_id !== null && (await face.findThread(thread_id, onThread.filters)) === undefined)
    throw new Problem('not_found', 'There is no such thread.');
  const metadata = metadataOf(permission);
  requireHold(metadata, permission);
  const marks = marksOf(given, metadataOf(onThread));
  const on_run_completed = body.on_run_completed ?? 'delete';
  if (thread_id === null && on_run_completed === 'keep')
    requireHold({ ...metadata, ...marks, graph_id, assistant_id }, onThread);
  const cron = await insertCron(db, {
    epoch,
    cron: {
      assistant_id,
      thread_id,
      principal: caller.principal,
      user: caller.user,
      ...times,
      on_run_completed,
      payload: payloadOf(body),
      metadata,
      marks,
      ...nextRun(times, now),
    },
  });
  if (cron === undefined) throw replaced();
  loop.expect(cron);
  return presentCron(cron);
}

const metadataOf = ({ value }: Permission) => ({ ...(value['metadata'] as Fields | undefined) });

async function update(
  face: CronFace,
  call: Parameters<CronHandlers['updateCron']>[0],
): Promise<PresentedCron> {
  const { db, epoch, loop, clock = systemClock } = face;
  const { body, params, principal } = call;
  const now = new Date(clock.now());
  const { cron_id } = params;
  const permission = await allowed(face, {
    principal,
    action: 'update',
    value: { ...body, cron_id, metadata: { ...body.metadata } },
  });
  const before = await findCron(db, cron_id);
  if (before === undefined || !matchesFilters(before.metadata, permission.filters)) throw noSuchCron();
  const { webhook } = body;
  if (isGiven(webhook)) face.checkWebhook(webhook);
  const times = {
    schedule: body.schedule ?? before.schedule,
    timezone: body.timezone === undefined ? before.timezone : body.timezone,
    end_time: body.end_time === undefined ? before.end_time : endTimeOf(body.end_time),
    enabled: body.enabled ?? before.enabled,
  };
  checkTimes(times, now);
  const metadata = { ...before.metadata, ...metadataOf(permission) };
  requireHold(metadata, permission);
  const cron = await replaceCron(db, {
    epoch,
    cron: {
      ...before,
      ...times,
      ...(isSameTimes(before, times) ? {} : nextRun(times, now)),
      on_run_completed: body.on_run_completed ?? before.on_run_completed,
      payload: { ...before.payload, ...payloadOf(body) },
      metadata,
    },
  });
  if (cron === undefined) throw new Problem('conflict', 'The cron was changed meanwhile; try again.');
  loop.expect(cron);
  return presentCron(cron);
}

function isSameTimes(before: Cron, times: CronTimes): boolean {
  return (Object.keys(times) as (keyof typeof times)[]).every((name) => before[name] === times[name]);
}

type CountCall = Parameters<CronHandlers['countCrons']>[0];
type SearchCall = Parameters<CronHandlers['searchCrons']>[0];

/** The requested search, limited to what the caller may see; undefined where nothing is visible. */
async function searchOf(
  face: CronFace,
  { body, principal }: Pick<CountCall, 'body' | 'principal'>,
): Promise<CronSearch | undefined> {
  const { filters } = await allowed(face, { principal, action: 'search', value: body });
  const { assistant_id, thread_id, enabled, metadata } = body;
  const assistant = isGiven(assistant_id)
    ? await face.findAssistant(assistant_id, face.callerOf(principal))
    : undefined;
  if (isGiven(assistant_id) && assistant === undefined) return undefined;
  return {
    assistant_id: assistant?.assistant_id,
    thread_id: thread_id ?? undefined,
    enabled: enabled ?? undefined,
    metadata: [metadata ?? {}, containmentOf(filters)].filter((one) => Object.keys(one).length > 0),
  };
}

const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

async function count(face: CronFace, call: Pick<CountCall, 'body' | 'principal'>): Promise<number> {
  const search = await searchOf(face, call);
  return search === undefined ? 0 : countCrons(face.db, search);
}

async function search(
  face: CronFace,
  { body, principal }: Pick<SearchCall, 'body' | 'principal'>,
): Promise<Response> {
  const wanted = await searchOf(face, { body, principal });
  const { sort_by, sort_order, select } = body;
  const [limit, offset] = [body.limit ?? 10, body.offset ?? 0];
  const found =
    wanted === undefined
      ? []
      : await searchCrons(face.db, wanted, {
          by: sort_by ?? 'created_at',
          descending: (sort_order ?? 'desc').toLowerCase() === 'desc',
          // One more than the page holds, to learn whether there are more.
          limit: limit + 1,
          offset,
        });
  const now = new Date((face.clock ?? systemClock).now()).toISOString();
  const shown = found.slice(0, limit).map((cron) => {
    const fields = { ...presentCron(cron), now };
    const names: readonly string[] = select ?? Object.keys(fields).filter((name) => name !== 'now');
    return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
  });
  const next = found.length > limit ? offset + limit : null;
  const total = wanted === undefined ? 0 : await countCrons(face.db, wanted);
  return Response.json(shown, { headers: pageHeaders({ next, total }) });
}
