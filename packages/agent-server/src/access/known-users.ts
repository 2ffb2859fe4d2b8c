import { createHash } from 'node:crypto';
import type { AuthUser } from '@roadstead/contracts/host';
import type { AuthSettings } from '@roadstead/contracts/langgraph-json';

/** The limit for all deployments, since they share this process. */
const MOST = 10_000;

/**
 * Caches the users whom the deployment's own `auth` has named, as long as its `cache` says, by the headers that it
 * names.
 */
export class KnownUsers {
  readonly #now: () => number;
  readonly #users = new Map<string, { readonly user: AuthUser; readonly until: number }>();
  #settings: AuthSettings | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The user for these headers, if cached, and a function to cache the one who is found. */
  of(
    settings: AuthSettings,
    headers: Headers,
  ): { readonly user: AuthUser | undefined; readonly keep: (user: AuthUser) => void } {
    // Another revision may name others.
    if (settings !== this.#settings) this.#users.clear();
    this.#settings = settings;
    const { cache } = settings;
    const values = cache?.cache_keys.map((name) => headerOf(headers, name)) ?? [];
    // Callers who send none of these headers cannot be distinguished by them.
    if (cache === null || values.every((value) => value === null))
      return { user: undefined, keep: () => undefined };
    const key = createHash('sha256').update(JSON.stringify(values)).digest('base64');
    const known = this.#users.get(key);
    return {
      user: known !== undefined && known.until > this.#now() ? known.user : undefined,
      keep: (user) => {
        if (settings !== this.#settings) return;
        this.#users.delete(key);
        this.#users.set(key, { user, until: this.#now() + cache.ttl_seconds * 1000 });
        const [oldest] = this.#users.keys();
        if (this.#users.size > Math.min(cache.max_size, MOST) && oldest !== undefined)
          this.#users.delete(oldest);
      },
    };
  }
}

/** No request has a header by an invalid name. */
function headerOf(headers: Headers, name: string): string | null {
  try {
    return headers.get(name);
  } catch {
    return null;
  }
}
