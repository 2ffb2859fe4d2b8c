import { agentServer } from '@roadstead/contracts/agent-server';
import type { Endpoint } from '@roadstead/contracts';
import type { RunParams } from '@roadstead/contracts/host';
import type { PoolFigures } from '@roadstead/postgres';
import type { Metric } from './metric-rules.ts';
import { Counter, Durations } from './tallies.ts';

/** The figures of this moment. */
export interface AgentFigures {
  /** Runs that have not ended. */
  readonly unfinished: number;
  /** Runs that are on hosts. */
  readonly running: number;
  /** Further runs that they would take at once. */
  readonly room: number;
  readonly hosts: number;
  readonly pool: PoolFigures;
}

const PREFIX = 'lg_api_';
const gauge = (name: string, help: string, value: number): Metric => ({
  name: PREFIX + name,
  type: 'gauge',
  help,
  samples: [{ labels: {}, value }],
});
const counter = (name: string, help: string, counted: Counter | number): Metric => ({
  name: PREFIX + name,
  type: 'counter',
  help,
  samples: typeof counted === 'number' ? [{ labels: {}, value: counted }] : counted.samples,
});
const histogram = (name: string, help: string, { samples }: Durations): Metric => ({
  name: PREFIX + name,
  type: 'histogram',
  help: `${help}, in milliseconds.`,
  samples,
});

/** The metrics of one deployment, under the names that the original has for them. */
export class AgentMetrics {
  readonly #requests = new Counter();
  readonly #latency = new Durations();
  readonly #waited = new Durations();
  readonly #waitedAgain = new Durations();
  readonly #took = new Durations();
  readonly #attempts = new Counter();
  readonly #ends = { success: new Counter(), cancelled: new Counter(), error: new Counter() };

  readonly onAnswer = (operation: string, status: number, took_ms: number): void => {
    const { method, path } = (agentServer as Readonly<Record<string, Endpoint>>)[operation] ?? {};
    const labels = { method: method ?? '', path: path ?? operation, status: String(status) };
    this.#requests.add(labels);
    this.#latency.add(took_ms, { method: labels.method, path: labels.path });
  };

  /** Counts and times an attempt. */
  async attempt<R>(params: RunParams, run: () => Promise<R>): Promise<R> {
    const began = Date.now();
    const waited_ms = Math.max(0, began - timeOf(params.run_id));
    if (params.attempt === 1) this.#waited.add(waited_ms);
    else this.#waitedAgain.add(waited_ms);
    this.#attempts.add();
    const result = await run();
    this.#took.add(Date.now() - began);
    return result;
  }

  /** Counts a committed end. */
  ended(status: string): void {
    if (status === 'success') this.#ends.success.add();
    else if (status === 'interrupted') this.#ends.cancelled.add();
    else this.#ends.error.add();
  }

  read({ unfinished, running, room, hosts, pool }: AgentFigures): Metric[] {
    return [
      counter('http_requests_total', 'Answers of the agent server.', this.#requests),
      histogram('http_requests_latency', 'How long answers took', this.#latency),
      histogram(
        'run_queue_wait_time_1st_attempt',
        'How long runs waited for their first attempt',
        this.#waited,
      ),
      histogram(
        'run_queue_wait_time_retry_attempt',
        'How long after they were made runs were attempted again',
        this.#waitedAgain,
      ),
      histogram('run_execution_latency', 'How long attempts took', this.#took),
      gauge('num_pending_runs', 'Runs that wait.', Math.max(0, unfinished - running)),
      gauge('num_running_runs', 'Runs that a graph host has.', running),
      gauge('workers_max', 'Runs that the graph hosts have or would take at once.', running + room),
      gauge('workers_active', 'Runs that the graph hosts have.', running),
      gauge(
        'workers_available',
        'Runs that they would take at once besides: none while a run waits for them.',
        room,
      ),
      gauge('graph_hosts', 'Processes that run graphs.', hosts),
      counter('run_attempt_started_counter', 'Attempts that began.', this.#attempts),
      counter('run_success_counter', 'Runs that ended well.', this.#ends.success),
      counter('run_canceled_by_request_counter', 'Runs that were cancelled.', this.#ends.cancelled),
      counter('run_failed_after_retry_counter', 'Runs that failed for good.', this.#ends.error),
      gauge('pg_pool_max', 'Connections to the database at most.', pool.max),
      gauge('pg_pool_size', 'Connections to the database that are open.', pool.size),
      gauge('pg_pool_available', 'Those of them that are idle.', pool.available),
      counter('pg_pool_requests_queued_total', 'How often a connection was waited for.', pool.queued),
      counter('pg_pool_requests_errors_total', 'How often no connection could be had.', pool.failed),
    ];
  }
}

/** The time at which an id was made, with which it begins (UUID version 7). */
const timeOf = (uuidv7: string) => Number.parseInt(uuidv7.replaceAll('-', '').slice(0, 12), 16) || Date.now();
