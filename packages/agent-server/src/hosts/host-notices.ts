import type { GraphHost } from './graph-host.ts';
import type { RevisionHostsOptions } from './revision-hosts-options.ts';

/** Reports hosts that do not answer: in our log, and in the deployment's, which the authors of the code read. */
export class HostNotices {
  readonly #options: Pick<RevisionHostsOptions, 'log' | 'onNotice' | 'unresponsive_ms'>;

  constructor(options: Pick<RevisionHostsOptions, 'log' | 'onNotice' | 'unresponsive_ms'>) {
    this.#options = options;
  }

  /** `elsewhere`: how many of its runs are tried on another host. */
  silent(host: GraphHost, elsewhere: number): void {
    const { unresponsive_ms, onNotice, log } = this.#options;
    const facts = factsOf(host);
    log.warn('graph host does not answer', { ...facts, elsewhere });
    onNotice(
      'WARNING',
      `The graph host ${facts.pid} has not answered since ${facts.since}, as when code computes or loops without awaiting. It gets no new runs, and is ended after ${secondsOf(unresponsive_ms)} s of this. Its runs: ${facts.runs}.`,
    );
  }

  heldUp(host: GraphHost, elsewhere: number): void {
    const { log, onNotice } = this.#options;
    const { held_limit_ms } = host;
    log.warn('graph host is held up', { pid: host.process.pid, ...host.held_up, elsewhere });
    const until =
      held_limit_ms === Infinity
        ? 'which goes on'
        : `and is ended after ${secondsOf(held_limit_ms)} s of this`;
    onNotice('WARNING', `${heldUpBy(host)}, ${until}. Other runs go on elsewhere (${elsewhere}).`);
  }

  heldTooLong(host: GraphHost): void {
    const { log, onNotice } = this.#options;
    log.error('graph host was held up for too long; it is ended', {
      pid: host.process.pid,
      ...host.held_up,
    });
    onNotice('ERROR', `${heldUpBy(host)}, and is ended (an endless loop?).`);
  }

  back(host: GraphHost, after_ms: number): void {
    const { pid } = factsOf(host);
    this.#options.log.info('graph host answers again', { pid, after_ms });
    this.#options.onNotice('INFO', `The graph host ${pid} answers again, after ${secondsOf(after_ms)} s.`);
  }

  lost(host: GraphHost): void {
    const facts = factsOf(host);
    this.#options.log.error('graph host did not answer; it is ended', facts);
    this.#options.onNotice(
      'ERROR',
      `The graph host ${facts.pid} has not answered since ${facts.since}, and is ended (an endless loop?). Its runs, which are tried again alone: ${facts.runs}.`,
    );
  }
}

const secondsOf = (ms: number) => Math.round(ms / 100) / 10;

function heldUpBy({ process, held_up }: GraphHost): string {
  const { for_ms = 0, run_id } = held_up ?? {};
  const what = run_id === undefined ? 'code that is of no run' : `the run ${run_id}`;
  return `The graph host ${process.pid}, whose event loop has not turned for ${secondsOf(for_ms)} s, is held up by ${what}`;
}

function factsOf(host: GraphHost): { pid: number | undefined; since: string; runs: string } {
  const runs = host.jobs().map((job) => job.params.run_id);
  return {
    pid: host.process.pid,
    since: new Date(host.silent_since ?? Date.now()).toISOString(),
    runs: runs.length === 0 ? 'none' : runs.join(', '),
  };
}
