import type { Duplex } from 'node:stream';
import { z } from 'zod';
import type { Container } from './container.ts';
import { askEngine, connectionOf, EngineRefusal, linesOf } from './engine-request.ts';
import { type ImageFacts, imageFactsOf } from './image.ts';

const Version = z.object({
  Version: z.string(),
  Arch: z.string(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});
const Info = z.object({ OSType: z.string(), SecurityOptions: z.array(z.string()).nullish() });
const Inspected = z.object({
  State: z.object({
    Running: z.boolean(),
    ExitCode: z.number().int(),
    OOMKilled: z.boolean().nullish(),
    Health: z.object({ Status: z.string() }).nullish(),
  }),
  NetworkSettings: z
    .object({ Ports: z.record(z.string(), z.array(z.object({ HostPort: z.string() })).nullish()).nullish() })
    .nullish(),
});
/** A line of what an engine says while it fetches an image. */
const Pulled = z.object({
  status: z.string().optional(),
  id: z.string().optional(),
  error: z.string().optional(),
});
const Listed = z.array(z.object({ Id: z.string(), Labels: z.record(z.string(), z.string()).nullish() }));

export interface EngineFacts {
  readonly kind: 'docker' | 'podman';
  readonly version: string;
  readonly os: string;
  /** As Go names it, such as `amd64`. */
  readonly architecture: string;
  /** Whether a user in a container is another one on the machine. */
  readonly maps_users: boolean;
}

export interface ContainerState {
  readonly running: boolean;
  readonly exit_code: number;
  /** Whether any of its processes was ended for its limit of memory; Podman never says so. */
  readonly out_of_memory: boolean;
  /** The result of its image's check, such as `healthy`; undefined where it has none. */
  readonly health: string | undefined;
  /** The ports of this machine at which its own are reached, by these (`8000/tcp`). */
  readonly ports: Readonly<Record<string, number>>;
}

interface PullOptions {
  readonly auth: RegistryAuth | undefined;
  /** Told what is done, and with which layer. */
  readonly onProgress: (status: string, layer: string | undefined) => void;
  readonly signal: AbortSignal;
}

/** A login at a registry, as engines take it. */
export interface RegistryAuth {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
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
    const { Version: version, Arch: architecture, Components } = Version.parse(versions);
    const { OSType: os, SecurityOptions } = Info.parse(facts);
    const isPodman = (Components ?? []).some(({ Name }) => /podman/i.test(Name));
    const maps_users = (SecurityOptions ?? []).some((one) => /name=(?:rootless|userns)/.test(one));
    return { kind: isPodman ? 'podman' : 'docker', version, os, architecture, maps_users };
  }

  /** Undefined where the engine has no such image. */
  async inspectImage(reference: string, signal?: AbortSignal): Promise<ImageFacts | undefined> {
    const path = `/images/${encodeURIComponent(reference)}/json`;
    const found = await askEngine(this.#socket, { method: 'GET', path, signal }).catch(orAbsent);
    return found === undefined ? undefined : imageFactsOf(found);
  }

  /**
   * Fetches an image from its registry. Only its signal ends it: a registry may keep quiet for ever.
   * @param reference with a tag or a digest
   * @throws EngineRefusal in the words of the engine or the registry
   */
  async pull(reference: string, { auth, onProgress, signal }: PullOptions): Promise<void> {
    const query = { fromImage: reference };
    const request = { method: 'POST', path: '/images/create', query, signal } as const;
    const headers = auth === undefined ? {} : { 'x-registry-auth': base64UrlOf(auth) };
    for await (const line of linesOf(this.#socket, { ...request, headers })) {
      const { error, status, id } = Pulled.parse(JSON.parse(line));
      // The status of the answer was sent before the registry was asked.
      if (error !== undefined) throw new EngineRefusal(500, error);
      onProgress(status ?? '', id);
    }
  }

  /** Makes a bridge network, unless there is one of that name. @param options of its driver */
  async ensureNetwork(name: string, options: Readonly<Record<string, string>>): Promise<void> {
    const known = await askEngine(this.#socket, { method: 'GET', path: `/networks/${name}` }).catch(orAbsent);
    if (known !== undefined) return;
    const body = { Name: name, CheckDuplicate: true, Driver: 'bridge', Options: options };
    await askEngine(this.#socket, { method: 'POST', path: '/networks/create', body });
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

  /** Asks it to end, by its image's signal; ends it after that many seconds. Does nothing where it has ended. */
  async stop(container: string, grace_s: number): Promise<void> {
    const query = { t: String(grace_s) };
    const path = `/containers/${container}/stop`;
    await askEngine(this.#socket, { method: 'POST', path, query, waits: true }).catch(orAbsent);
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
    const { State, NetworkSettings } = Inspected.parse(answer);
    const ports = Object.entries(NetworkSettings?.Ports ?? {}).flatMap(([port, places]) => {
      const [place] = places ?? [];
      return place === undefined ? [] : [[port, Number(place.HostPort)] as const];
    });
    return {
      running: State.Running,
      exit_code: State.ExitCode,
      out_of_memory: State.OOMKilled === true,
      health: healthOf(State.Health?.Status),
      ports: Object.fromEntries(ports),
    };
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

/** Engines say `none`, or nothing, of an image without a check. */
const healthOf = (status: string | undefined) => (status === 'none' || status === '' ? undefined : status);

/** With padding, which engines insist on (RFC 4648, 5). */
const base64UrlOf = (auth: RegistryAuth) =>
  Buffer.from(JSON.stringify(auth)).toString('base64').replaceAll('+', '-').replaceAll('/', '_');

function orAbsent(error: unknown): undefined {
  if (error instanceof EngineRefusal && error.status === 404) return undefined;
  throw error;
}
