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

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** The name of the deployment that answers at the host of this header; undefined at once where none may. */
  slugAt(header: string | undefined): Promise<string | undefined> | undefined {
    const host = customHost(header ?? '', this.#options.isOwn);
    return host === undefined ? undefined : this.#look().then(() => this.#known.by_host.get(host));
  }

  async find(incoming: IncomingMessage): Promise<FoundTarget | undefined> {
    const looking = this.#look();
    // What is known is tried meanwhile: a data plane that has it no more says so.
    if (this.#placeOf(incoming) === undefined) await looking;
    return this.#targetOf(this.#placeOf(incoming));
  }

  async findAgain(incoming: IncomingMessage): Promise<FoundTarget | undefined> {
    const before = this.#placeOf(incoming)?.address;
    await this.#ask();
    const place = this.#placeOf(incoming);
    if (place === undefined) return undefined;
    if (place.address === before) await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    return this.#targetOf(place);
  }

  #placeOf({ url = '' }: IncomingMessage): Place | undefined {
    const [, slug = ''] = /^\/agents\/([^/?#]+)/.exec(url) ?? [];
    return this.#known.by_slug.get(slug);
  }

  /** What nobody is known to have is asked of any: it answers a caller whom it may tell so. */
  async #targetOf(place: Place | undefined): Promise<FoundTarget | undefined> {
    const address = place?.address ?? this.#known.data_planes[0];
    if (address === undefined) return undefined;
    return { at: { url: address }, inward: { [ASSERTION_HEADER]: await this.#options.assertion() } };
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
      // The first deployment to name a host has it.
      by_host: new Map(hosts.reverse()),
    };
  }
}
