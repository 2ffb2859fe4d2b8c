import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { Container } from './container.ts';
import { askEngine, connectionOf, EngineRefusal } from './engine-request.ts';

const Version = z.object({
  Version: z.string(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});
const Info = z.object({ OSType: z.string(), SecurityOptions: z.array(z.string()).nullish() });
const Inspected = z.object({
  State: z.object({ Running: z.boolean(), ExitCode: z.number().int(), OOMKilled: z.boolean().nullish() }),
});
const Listed = z.array(z.object({ Id: z.string(), Labels: z.record(z.string(), z.string()).nullish() }));

export interface EngineFacts {
  readonly kind: 'docker' | 'podman';
  readonly version: string;
  readonly os: string;
  /** Whether a user in a container is another one on the machine. */
  readonly maps_users: boolean;
}

export interface ContainerState {
  readonly running: boolean;
  readonly exit_code: number;
  /** Whether any of its processes was ended for its limit of memory; Podman never says so. */
  readonly out_of_memory: boolean;
}

export interface ListedContainer {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A container engine, Docker or Podman, by the API of Docker. A container is named by its id or by the name that it was given. Each call
 * throws Problem `unavailable` where the engine is away, EngineRefusal with its own words where it refuses, and ZodError where it
 * answers what no engine does.
 * @see https://docs.docker.com/reference/api/engine/version/v1.41/
 */
export class ContainerEngine {
  readonly #socket: string;

  /** @param socket the path of its socket */
  constructor(socket: string) {
    this.#socket = socket;
  }

  async describe(): Promise<EngineFacts> {
    const [versions, facts] = await Promise.all(
      ['/version', '/info'].map((path) => askEngine(this.#socket, { method: 'GET', path })),
    );
    const { Version: version, Components } = Version.parse(versions);
    const { OSType: os, SecurityOptions } = Info.parse(facts);
    const isPodman = (Components ?? []).some(({ Name }) => /podman/i.test(Name));
    const maps_users = (SecurityOptions ?? []).some((one) => /name=(?:rootless|userns)/.test(one));
    return { kind: isPodman ? 'podman' : 'docker', version, os, maps_users };
  }

  async hasImage(reference: string): Promise<boolean> {
    const path = `/images/${encodeURIComponent(reference)}/json`;
    const found = await askEngine(this.#socket, { method: 'GET', path }).catch(orAbsent);
    return found !== undefined;
  }

  /** Makes a container that does not run yet. */
  async create(name: string, body: Container): Promise<void> {
    await askEngine(this.#socket, { method: 'POST', path: '/containers/create', query: { name }, body });
  }

  /** Follows both of its outputs from now on, over one connection (`demultiplex`). */
  async attach(container: string, signal: AbortSignal): Promise<Duplex> {
    const query = { stream: '1', stdout: '1', stderr: '1' };
    const path = `/containers/${container}/attach`;
    return await connectionOf(this.#socket, { method: 'POST', path, query, signal });
  }

  async start(container: string, signal: AbortSignal): Promise<void> {
    await askEngine(this.#socket, { method: 'POST', path: `/containers/${container}/start`, signal });
  }

  /** Resolves once it may have ended: what became of it, `inspect` says. */
  async wait(container: string, signal: AbortSignal): Promise<void> {
    const path = `/containers/${container}/wait`;
    await askEngine(this.#socket, { method: 'POST', path, signal, waits: true }).catch(orAbsent);
  }

  /** Undefined where the engine knows nothing of it. */
  async inspect(container: string, signal?: AbortSignal): Promise<ContainerState | undefined> {
    const path = `/containers/${container}/json`;
    const answer = await askEngine(this.#socket, { method: 'GET', path, signal }).catch(orAbsent);
    if (answer === undefined) return undefined;
    const { Running, ExitCode, OOMKilled } = Inspected.parse(answer).State;
    return { running: Running, exit_code: ExitCode, out_of_memory: OOMKilled === true };
  }

  /**
   * Ends it at once, and forgets it; does nothing where it is gone.
   * @throws EngineRefusal 409 while another removal of it is under way
   */
  async remove(container: string): Promise<void> {
    const query = { force: 'true', v: 'true' };
    const path = `/containers/${container}`;
    await askEngine(this.#socket, { method: 'DELETE', path, query }).catch(orAbsent);
  }

  /** All containers that have these labels, running or not. */
  async list(labels: Readonly<Record<string, string>>): Promise<readonly ListedContainer[]> {
    const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
    const query = { all: 'true', filters: JSON.stringify({ label }) };
    const answer = await askEngine(this.#socket, { method: 'GET', path: '/containers/json', query });
    return Listed.parse(answer).map(({ Id, Labels }) => ({ id: Id, labels: Labels ?? {} }));
  }
}

function orAbsent(error: unknown): undefined {
  if (error instanceof EngineRefusal && error.status === 404) return undefined;
  throw error;
}
