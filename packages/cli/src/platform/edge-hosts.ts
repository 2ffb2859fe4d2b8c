import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { CUSTOM_HOSTS_PATH, customHost, CustomHosts } from '@roadstead/contracts';

export interface EdgeHostsOptions {
  /** The socket of the data plane. */
  readonly socket: string;
  /** Whether a host is ours, so that no deployment may answer at it. */
  readonly isOwn: (host: string) => boolean;
  readonly now?: () => number;
}

/** How long an answer stays valid. */
const KNOWN_MS = 2000;
const ANSWER_MS = 1000;

/** Finds the deployment that answers at a custom host, by asking the data plane when such a host is called. */
export class EdgeHosts {
  readonly #options: EdgeHostsOptions;
  #hosts: ReadonlyMap<string, string> = new Map();
  #asked_at = -Infinity;
  #asking: Promise<void> = Promise.resolve();

  constructor(options: EdgeHostsOptions) {
    this.#options = options;
  }

  /** The name of the deployment that answers at the host of this header; undefined at once where none may. */
  slugAt(header: string | undefined): Promise<string | undefined> | undefined {
    const host = customHost(header ?? '', this.#options.isOwn);
    return host === undefined ? undefined : this.#slugAt(host);
  }

  async #slugAt(host: string): Promise<string | undefined> {
    const { now = Date.now } = this.#options;
    if (now() - this.#asked_at > KNOWN_MS) {
      this.#asked_at = now();
      // A data plane that is away is back soon: its last answer stays valid until then.
      this.#asking = this.#ask().catch(() => undefined);
    }
    await this.#asking;
    return this.#hosts.get(host);
  }

  async #ask(): Promise<void> {
    const { socket: socketPath } = this.#options;
    const body = await new Promise<string>((resolve, reject) => {
      const asked = request({ socketPath, path: CUSTOM_HOSTS_PATH, signal: AbortSignal.timeout(ANSWER_MS) });
      asked.on('response', (answer) => void text(answer).then(resolve, reject));
      asked.on('error', reject).end();
    });
    this.#hosts = new Map(Object.entries(CustomHosts.parse(JSON.parse(body)).hosts));
  }
}
