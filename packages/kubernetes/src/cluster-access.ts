/** What shows an API server who calls, and us which server it is. PEM where it is no token. Never in a log or an error. */
export interface Credential {
  readonly token?: string | undefined;
  /** The client's certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** The authority of the server's certificate; unset, those that the machine trusts. */
  readonly ca?: string | undefined;
  /** Milliseconds since 1970: when another one is needed. */
  readonly expires_at?: number | undefined;
}

/** How a cluster is reached. */
export interface ClusterAccess {
  /** The address of its API server, without a slash at its end. */
  readonly server: string;
  /** The namespace where none is named. */
  readonly namespace: string;
  /** The name that the server's certificate is for, where that is not the address's. */
  readonly servername?: string | undefined;
  /** Whether any certificate of the server is taken. */
  readonly insecure: boolean;
  /** Reads the credential anew: tokens and certificates rotate. */
  readonly readCredential: () => Promise<Credential>;
}

/** As long as a credential without an end is used before it is read again. Tokens of pods are renewed when a fifth of their hour is left. */
const FRESH_MS = 60_000;
/** After one was refused and read again, the next refusal within this time stands. */
const RENEWED_MS = 5000;

/** Keeps the credential of a cluster, and renews it. One that can't be read again is used on: files are replaced one after another. */
export class CredentialKeeper {
  readonly #read: () => Promise<Credential>;
  #last: Credential | undefined;
  #read_at = -Infinity;
  #refused_at = -Infinity;
  #reading: Promise<Credential> | undefined;

  constructor(read: () => Promise<Credential>) {
    this.#read = read;
  }

  async current(): Promise<Credential> {
    const until = this.#last?.expires_at ?? this.#read_at + FRESH_MS;
    return this.#last !== undefined && Date.now() < until ? this.#last : await this.#renew();
  }

  /** Reads another one, since this one was refused; undefined where it is as new as can be. */
  async renewed(refused: Credential): Promise<Credential | undefined> {
    if (this.#last !== refused) return this.#last;
    if (Date.now() < this.#refused_at + RENEWED_MS) return undefined;
    this.#refused_at = Date.now();
    const found = await this.#renew();
    return found.token === refused.token && found.cert === refused.cert ? undefined : found;
  }

  async #renew(): Promise<Credential> {
    const reading = (this.#reading ??= this.#read());
    try {
      this.#last = await reading;
    } catch (error) {
      if (this.#last === undefined) throw error;
    } finally {
      if (this.#reading === reading) this.#reading = undefined;
    }
    this.#read_at = Date.now();
    return this.#last;
  }
}
