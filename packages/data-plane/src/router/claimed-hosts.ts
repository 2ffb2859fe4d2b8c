import { customHost, type CustomHosts, hostOfCustomUrl } from '@roadstead/contracts';

/**
 * The hosts at which deployments answer beside their own addresses. The first deployment to name a host has it until
 * it releases it.
 */
export class ClaimedHosts {
  readonly #isOwn: (host: string) => boolean;
  /** The names of all who claim a host, the first one first. */
  readonly #claims = new Map<string, readonly string[]>();

  /** @param isOwn whether a host is ours, so that no deployment may answer at it. */
  constructor(isOwn: (host: string) => boolean) {
    this.#isOwn = isOwn;
  }

  /** Replaces the earlier claim of a deployment. */
  claim(slug: string, custom_url: string | null): void {
    const wanted = custom_url === null ? undefined : hostOfCustomUrl(custom_url, this.#isOwn);
    for (const [host, slugs] of this.#claims) {
      if (host === wanted || !slugs.includes(slug)) continue;
      const others = slugs.filter((one) => one !== slug);
      if (others.length === 0) this.#claims.delete(host);
      else this.#claims.set(host, others);
    }
    if (wanted === undefined) return;
    const slugs = this.#claims.get(wanted) ?? [];
    if (!slugs.includes(slug)) this.#claims.set(wanted, [...slugs, slug]);
  }

  /** Whether a deployment answers at the host in this header. */
  has(header: string | undefined): boolean {
    const host = customHost(header ?? '', this.#isOwn);
    return host !== undefined && this.#claims.has(host);
  }

  get all(): CustomHosts {
    const first = [...this.#claims].map(([host, [slug = '']]) => [host, slug] as const);
    return { hosts: Object.fromEntries(first) };
  }
}
