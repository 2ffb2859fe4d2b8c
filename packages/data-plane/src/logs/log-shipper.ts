import { ApiError, type Client, repairText } from '@roadstead/contracts';
import type { ControlPlaneContract } from '@roadstead/contracts/control-plane';
import { Fifo, classifyError, type Log, randomToken } from '@roadstead/kit';

type Level = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';
interface Line {
  readonly at: string;
  readonly level: Level;
  readonly message: string;
}

export interface LogShipperOptions {
  readonly client: Client<ControlPlaneContract>;
  readonly params: { readonly listener_id: string; readonly deployment_id: string };
  /** The current fence of the lease. */
  readonly fence: () => number;
  readonly revision_id: string;
  readonly kind: 'build' | 'server';
  readonly mask: (text: string) => string;
  readonly log: Log;
}

const SHIP_MS = 500;
const RETRY_MS = 2000;
/** The longest wait for a control plane that neither accepts nor refuses a chunk. */
const SEND_MS = 10_000;
const MAX_CHUNK = 1000;
const MAX_WAITING = 20_000;
/** Lines wait in memory, and may be long ones. */
const MAX_WAITING_CHARS = 16_000_000;
const MAX_LINE = 8000;
/** Keeps a chunk's body well below the control plane's limit. */
const MAX_CHUNK_CHARS = 2_000_000;

/** Sends the lines of one log (a revision's build, or its server) in sequenced chunks; a lost answer costs nothing. */
export class LogShipper implements AsyncDisposable {
  readonly #send: (seq: number, lines: readonly Line[]) => Promise<void>;
  readonly #mask: (text: string) => string;
  readonly #log: Log;
  readonly #waiting = new Fifo<Line>();
  #waiting_chars = 0;
  /**
   * The chunk being sent. The same sequence number always has the same lines, since a chunk that arrived is not
   * accepted again.
   */
  #chunk: readonly Line[] = [];
  #dropped = 0;
  #seq = 0;
  #timer: NodeJS.Timeout | undefined;
  #shipping: Promise<void> | undefined;
  #closed = false;

  constructor(options: LogShipperOptions) {
    const { revision_id, kind, fence } = options;
    const writer = randomToken(9);
    this.#send = (seq, lines) =>
      options.client
        .appendLogs({
          params: options.params,
          body: { fence: fence(), revision_id, kind, writer, seq, lines: [...lines] },
          signal: AbortSignal.timeout(SEND_MS),
        })
        .then(() => undefined);
    this.#mask = options.mask;
    this.#log = options.log;
  }

  add(message: string, level: Level = 'INFO', at = new Date().toISOString()): void {
    const line = { at, level, message: repairText(this.#mask(message).slice(0, MAX_LINE)) };
    this.#waiting.push(line);
    this.#waiting_chars += line.message.length;
    while (this.#waiting.length > MAX_WAITING || this.#waiting_chars > MAX_WAITING_CHARS) {
      this.#take();
      this.#dropped += 1;
    }
    this.#timer ??= setTimeout(() => this.#ship(), SHIP_MS).unref();
  }

  /** Whether everything has been sent. */
  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#chunk.length === 0;
  }

  /** Sends waiting lines; those that the control plane can't accept now keep waiting. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#shipping;
    this.#ship();
    await this.#shipping;
  }

  /** Sends waiting lines; drops those that the control plane can't accept now. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #ship(): void {
    this.#timer = undefined;
    this.#shipping ??= this.#drain().finally(() => (this.#shipping = undefined));
  }

  async #drain(): Promise<void> {
    for (;;) {
      if (this.#chunk.length === 0) this.#chunk = this.#nextChunk();
      if (this.#chunk.length === 0) return;
      try {
        await this.#send(this.#seq, this.#chunk);
      } catch (error) {
        if (isGone(error)) {
          this.#chunk = [];
          this.#waiting.takeAll();
          this.#waiting_chars = 0;
          return;
        }
        this.#log.debug('log lines wait', { error });
        if (!this.#closed) this.#timer ??= setTimeout(() => this.#ship(), RETRY_MS).unref();
        return;
      }
      this.#seq += 1;
      this.#chunk = [];
    }
  }

  #take(): void {
    this.#waiting_chars -= this.#waiting.take()?.message.length ?? 0;
  }

  /** Takes the next waiting lines, and notes how many were dropped before them. */
  #nextChunk(): readonly Line[] {
    const lines: Line[] = [];
    let chars = 0;
    for (let line = this.#waiting.first; line !== undefined; line = this.#waiting.first) {
      chars += line.message.length;
      if (lines.length >= MAX_CHUNK || (lines.length > 0 && chars > MAX_CHUNK_CHARS)) break;
      lines.push(line);
      this.#take();
    }
    if (this.#dropped === 0) return lines;
    const message = `${this.#dropped} lines were dropped`;
    this.#dropped = 0;
    return [{ at: lines[0]?.at ?? new Date().toISOString(), level: 'WARNING', message }, ...lines];
  }
}

/**
 * The log of something that is gone will not be read. A stale fence is followed by a new one, when the lease is ours.
 */
function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.status !== 409 && classifyError(error) === 'refusal';
}
