import type { IncomingMessage } from 'node:http';
import { ASSERTION_HEADER, type Client, customHost, hostOfCustomUrl } from '@roadstead/contracts';
import type { ControlPlaneContract, Place } from '@roadstead/contracts/control-plane';
import type { FoundTarget, TargetFinder } from '@roadstead/http';
import type { Log } from '@roadstead/kit';

export interface PlacesOptions {
  /** A client of the control plane that acts as the edge. */
  readonly client: Pick<Client<ControlPlaneContract>, 'readPlaces'>;
  /** Proves to a data plane that the edge calls. */
  readonly assertion: () => Promise<string>;
  /** Whether a host is ours, so that no deployment may answer at it. */
  readonly isOwn: (host: string) => boolean;
  readonly log: Pick<Log, 'warn'>;
  readonly now?: () => number;
}

/** How long an answer stays valid; what has moved meanwhile says so itself. */
const KNOWN_MS = 1000;
const ANSWER_MS = 1000;
/** Between two looks for the same deployment: it is on its way. */
const AGAIN_MS = 50;

/** A proof is good for this long at least, and renewed after this much of it. */
const VALID_MS = 20_000;
const RENEW_MS = 10_000;

const pause = (ms = AGAIN_MS) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

interface KnownPlaces {
  readonly version: string;
  readonly by_slug: ReadonlyMap<string, Place>;
  readonly by_host: ReadonlyMap<string, string>;
  readonly data_planes: readonly string[];
}

/** Knows which data plane has which deployment, by asking the control plane when agents are called. */
export class Places implements TargetFinder {
  readonly #options: PlacesOptions;
  #known: KnownPlaces = {
    version: '',
    by_slug: new Map(),
    by_host: new Map(),
    data_planes: [],
  };
  #asked_at = -Infinity;
  #asking: Promise<void> | undefined;
  #proven: string | undefined;
  #proved_at = -Infinity;
  #proving: Promise<void> | undefined;

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** The name of the deployment that answers at the host of this header; undefined at once where none may. */
  slugAt(header: string | undefined): Promise<string | undefined> | undefined {
    const host = customHost(header ?? '', this.#options.isOwn);
    if (host === undefined) return undefined;
    const looking = this.#look();
    const known = this.#known.by_host.get(host);
    return known === undefined ? looking.then(() => this.#known.by_host.get(host)) : Promise.resolve(known);
  }

  async find(incoming: IncomingMessage): Promise<FoundTarget | undefined> {
    const looking = this.#look();
    // A known address is tried at once: a data plane that no longer has the deployment says so.
    if (this.#placeOf(incoming) === undefined) await looking;
    return this.#targetOf(this.#placeOf(incoming));
  }

  async findAgain(incoming: IncomingMessage): Promise<FoundTarget | undefined> {
    const { now = Date.now } = this.#options;
    const before = this.#placeOf(incoming)?.address;
    if (now() - this.#asked_at < AGAIN_MS) await pause();
    await this.#ask();
    const place = this.#placeOf(incoming);
    if (place !== undefined && place.address === before) await pause();
    return this.#targetOf(this.#placeOf(incoming));
  }

  #placeOf({ url = '' }: IncomingMessage): Place | undefined {
    const [, slug = ''] = /^\/agents\/([^/?#]+)/.exec(url) ?? [];
    return this.#known.by_slug.get(slug);
  }

  /** A call of an unknown name goes to any data plane, without a proof: its answer does not show that there is no such deployment. */
  async #targetOf(place: Place | undefined): Promise<FoundTarget | undefined> {
    if (place === undefined) {
      const [any] = this.#known.data_planes;
      return any === undefined ? undefined : { at: { url: any } };
    }
    const assertion = await this.#proof();
    const inward = assertion === undefined ? {} : { inward: { [ASSERTION_HEADER]: assertion } };
    return { at: { url: place.address }, ...inward };
  }

  /** Renewed beside the calls. While identity is away agents are called without it: only what has moved is not found then. */
  async #proof(): Promise<string | undefined> {
    const { now = Date.now, assertion } = this.#options;
    const age_ms = now() - this.#proved_at;
    if (age_ms > RENEW_MS)
      this.#proving ??= assertion()
        .then((proof) => {
          this.#proven = proof;
          this.#proved_at = now();
        })
        .catch(() => undefined)
        .finally(() => (this.#proving = undefined));
    if (age_ms < VALID_MS) return this.#proven;
    await Promise.race([this.#proving, pause(ANSWER_MS)]);
    return now() - this.#proved_at < VALID_MS ? this.#proven : undefined;
  }

  async #look(): Promise<void> {
    const { now = Date.now } = this.#options;
    if (now() - this.#asked_at > KNOWN_MS) void this.#ask();
    await this.#asking;
  }

  /** Callers at the same time share one question. A control plane that is away is back soon: its last answer stays valid until then. */
  #ask(): Promise<void> {
    const { now = Date.now, client, log } = this.#options;
    this.#asked_at = now();
    this.#asking ??= client
      .readPlaces({
        query: { version: this.#known.version },
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      .then(({ version, places, data_planes }) => {
        if (places !== null && data_planes !== null)
          this.#known = { version, data_planes, ...this.#byName(places) };
      })
      .catch((error: unknown) => log.warn('the control plane does not say where agents are', { error }))
      .finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  #byName(places: readonly Place[]): Pick<KnownPlaces, 'by_slug' | 'by_host'> {
    const { isOwn } = this.#options;
    const hosts = places.flatMap(({ slug, custom_url }) => {
      const host = custom_url === null ? undefined : hostOfCustomUrl(custom_url, isOwn);
      return host === undefined ? [] : [[host, slug] as const];
    });
    return {
      by_slug: new Map(places.map((place) => [place.slug, place])),
      by_host: this.#holdersOf(hosts),
    };
  }

  /** A deployment keeps its host for as long as it names it; a free host goes to the first that names it. */
  #holdersOf(hosts: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
    const holders = new Map(hosts.toReversed());
    for (const [host, slug] of hosts) if (this.#known.by_host.get(host) === slug) holders.set(host, slug);
    return holders;
  }
}
