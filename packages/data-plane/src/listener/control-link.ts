import { ApiError, type Client, createClient, ROADSTEAD_VERSION } from '@roadstead/contracts';
import {
  type Assignment,
  type ComputeType,
  type ControlPlaneContract,
  controlPlane,
  Observation,
  type SourceCredentials,
  type ResourceLimits,
  type SourceForm,
  type WatchedHead,
} from '@roadstead/contracts/control-plane';
import { type Log, pause } from '@roadstead/kit';

export interface ControlLinkOptions {
  readonly control_url: string;
  readonly listener_id: string;
  readonly listener_key: string;
  /** How user code is isolated here. */
  readonly isolation: 'none' | 'namespace' | 'container' | 'pod';
  /** How the memory and processors of user code are limited. */
  readonly resource_limits: ResourceLimits;
  /** Where agents run. */
  readonly compute: ComputeType;
  /** The forms of source that can be run here. */
  readonly capabilities: readonly SourceForm[];
  /** The namespaces of a cluster in which agents run; empty where there is no cluster. */
  readonly served_namespaces: readonly string[];
  readonly log: Log;
  /** Called with the whole desired state of a deployment, each time it has changed. */
  readonly onAssignment: (assignment: Assignment) => void;
  /** Its name among the instances of its listener; undefined where it has all deployments. */
  readonly instance?: string | undefined;
  /** Where an edge calls agents of this instance. */
  readonly agents_address?: string | undefined;
  /** Called each time after the complete desired state has come, with what is in it: at the start, and after a new beginning. */
  readonly onSynced: (deployment_ids: ReadonlySet<string>) => void;
  /** Called when the lease has another holder, or is to be taken anew. */
  readonly onLost: () => void;
  /** Called when it answers again. */
  readonly onBack: () => void;
}

const WAIT_S = 25;
/** A control plane that doesn't answer a report within this time counts as away. */
const ANSWER_MS = 10_000;
const RETRY_MS = { min: 200, max: 5000 };

/**
 * The connection to the control plane: desired state in, observations out. Deployments keep running while it is away.
 */
export class ControlLink {
  readonly client: Client<ControlPlaneContract>;
  readonly #options: ControlLinkOptions;
  #fence: number | undefined;
  /** The fences by which deployments are held. */
  readonly #fences = new Map<string, number>();
  #state: 'serving' | 'draining' | 'left' = 'serving';
  #others = 0;
  /** Ends the poll that waits. */
  #hurry = new AbortController();

  constructor(options: ControlLinkOptions) {
    this.#options = options;
    this.client = createClient(controlPlane, {
      base_url: options.control_url,
      headers: { 'x-api-key': options.listener_key },
    });
  }

  get params(): { readonly listener_id: string } {
    return { listener_id: this.#options.listener_id };
  }

  /** The fence by which a deployment is held, or was last. */
  fenceOf(deployment_id: string): number {
    return this.#fences.get(deployment_id) ?? this.#fence ?? 0;
  }

  /** Takes no more deployments from now on; answers whether other instances take those that are here. */
  async drain(): Promise<boolean> {
    this.#state = 'draining';
    this.#hurry.abort();
    await this.#ask({ since: 0, wait_s: 0, fence: this.#fence });
    return this.#others > 0;
  }

  /** Ends the lease, once nothing runs here any more. */
  async leave(): Promise<void> {
    this.#state = 'left';
    await this.#ask({ since: 0, wait_s: 0, fence: this.#fence });
  }

  /** Polls the desired state until the signal; each poll is heartbeat and lease too. */
  async run(signal: AbortSignal): Promise<void> {
    let since: number | undefined;
    let failures = 0;
    while (!signal.aborted) {
      try {
        since = await this.#poll(since, signal);
        if (failures > 0) this.#options.onBack();
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        // Somebody else took the lease, or the control plane forgot us: begin again, with a fence of our own.
        if (error instanceof ApiError && error.status === 409) {
          since = undefined;
          this.#options.onLost();
        }
        failures += 1;
        this.#options.log.warn('the control plane does not answer; deployments keep running', {
          failures,
          error,
        });
        await pause(Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** failures), signal);
      }
    }
  }

  /** False when the fence is stale: another process of this listener has taken over. */
  async observe(deployment_id: string, observation: Omit<Observation, 'fence'>): Promise<boolean> {
    try {
      await this.client.observe({
        params: { ...this.params, deployment_id },
        // Made storable by its schema: a build or a graph may have written text that can't be stored.
        body: Observation.parse({ ...observation, fence: this.fenceOf(deployment_id) }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) return false;
      throw error;
    }
  }

  async environment(deployment_id: string, revision_id: string): Promise<Record<string, string>> {
    const { variables } = await this.client.readEnvironment({
      params: { ...this.params, deployment_id },
      query: { revision_id, fence: this.fenceOf(deployment_id) },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  }

  /** The credentials for the source of a deployment; null where it is public. */
  async sourceCredentials(deployment_id: string, revision_id?: string): Promise<SourceCredentials | null> {
    const { credentials } = await this.client.readSourceCredentials({
      params: { ...this.params, deployment_id },
      query: { fence: this.fenceOf(deployment_id), ...(revision_id === undefined ? {} : { revision_id }) },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return credentials;
  }

  async reportHead(deployment_id: string, head: Omit<WatchedHead, 'fence'>): Promise<void> {
    await this.client.reportHead({
      params: { ...this.params, deployment_id },
      body: { ...head, fence: this.fenceOf(deployment_id) },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }

  /** Reports a step of a handover. */
  async handOver(deployment_id: string, step: 'prepared' | 'released'): Promise<void> {
    const { instance = '' } = this.#options;
    await this.client.handOver({
      params: { ...this.params, deployment_id },
      body: {
        instance,
        step,
        fence: step === 'prepared' ? (this.#fence ?? 0) : this.fenceOf(deployment_id),
      },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }

  /** Asks for changes after a generation; undefined takes the lease over and asks for everything. */
  async #poll(since: number | undefined, signal: AbortSignal): Promise<number> {
    const begins = since === undefined;
    this.#hurry = new AbortController();
    const query = begins ? { since: 0, wait_s: 0 } : { since, wait_s: WAIT_S, fence: this.#fence };
    const answer = await this.#ask(query, AbortSignal.any([signal, this.#hurry.signal])).catch(
      (error: unknown) => {
        if (this.#hurry.signal.aborted && !signal.aborted) return undefined;
        throw error;
      },
    );
    if (answer === undefined) return since ?? 0;
    this.#fence = answer.fence;
    if (begins) this.#fences.clear();
    for (const assignment of answer.assignments) {
      if (assignment.hold !== 'prepare') this.#fences.set(assignment.deployment_id, assignment.fence);
      this.#options.onAssignment(assignment);
    }
    if (begins) this.#options.onSynced(new Set(answer.assignments.map((one) => one.deployment_id)));
    return answer.generation;
  }

  /** Without a fence it takes the lease over. */
  async #ask(
    query: { readonly since: number; readonly wait_s: number; readonly fence?: number | undefined },
    signal: AbortSignal = AbortSignal.timeout(ANSWER_MS),
  ) {
    const { instance, agents_address: address, ...options } = this.#options;
    const answer = await this.client.readAssignments({
      params: this.params,
      query: {
        since: query.since,
        wait_s: query.wait_s,
        isolation: options.isolation,
        resource_limits: options.resource_limits,
        compute_type: options.compute,
        capabilities: options.capabilities,
        served_namespaces: options.served_namespaces,
        version: ROADSTEAD_VERSION,
        ...(query.fence === undefined ? {} : { fence: query.fence }),
        ...(instance === undefined ? {} : { instance, instance_state: this.#state }),
        ...(address === undefined ? {} : { address }),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout((WAIT_S + 10) * 1000)]),
    });
    this.#others = answer.others ?? 0;
    return answer;
  }
}
