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
  /** Called each time after the complete desired state has come: at the start, and after a new beginning. */
  readonly onSynced: () => void;
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

  /** The fence of the lease that we have, or had last. */
  get fence(): number {
    return this.#fence ?? 0;
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
        if (error instanceof ApiError && error.status === 409) since = undefined;
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
        body: Observation.parse({ ...observation, fence: this.fence }),
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
      query: { revision_id, fence: this.fence },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  }

  /** The credentials for the source of a deployment; null where it is public. */
  async sourceCredentials(deployment_id: string, revision_id?: string): Promise<SourceCredentials | null> {
    const { credentials } = await this.client.readSourceCredentials({
      params: { ...this.params, deployment_id },
      query: { fence: this.fence, ...(revision_id === undefined ? {} : { revision_id }) },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return credentials;
  }

  async reportHead(deployment_id: string, head: Omit<WatchedHead, 'fence'>): Promise<void> {
    await this.client.reportHead({
      params: { ...this.params, deployment_id },
      body: { ...head, fence: this.fence },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
  }

  /** Asks for changes after a generation; undefined takes the lease over and asks for everything. */
  async #poll(since: number | undefined, signal: AbortSignal): Promise<number> {
    const begins = since === undefined;
    const answer = await this.client.readAssignments({
      params: this.params,
      query: {
        since: since ?? 0,
        wait_s: begins ? 0 : WAIT_S,
        isolation: this.#options.isolation,
        resource_limits: this.#options.resource_limits,
        compute_type: this.#options.compute,
        capabilities: this.#options.capabilities,
        served_namespaces: this.#options.served_namespaces,
        version: ROADSTEAD_VERSION,
        ...(begins || this.#fence === undefined ? {} : { fence: this.#fence }),
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout((WAIT_S + 10) * 1000)]),
    });
    this.#fence = answer.fence;
    for (const assignment of answer.assignments) this.#options.onAssignment(assignment);
    if (begins) this.#options.onSynced();
    return answer.generation;
  }
}
