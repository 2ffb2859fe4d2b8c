import { EventFilter, ThreadCommand, type ThreadErrorCode } from '@roadstead/contracts/agent-server';
import { parseJson } from '@roadstead/json';
import { type Log, pause, Problem, type ProblemKind } from '@roadstead/kit';
import { z } from 'zod';
import { writeJson } from '../../json/json-text.ts';
import type { Conversation } from '../../sockets/conversation.ts';
import type { MetadataFilters } from '../../access/caller.ts';
import { filtersFor } from '../runs/run-access.ts';
import type { RunCall } from '../runs/run-face.ts';
import { findThreadSettings } from '../runs/run-store.ts';
import { answerCommand, codeOf } from './command-answers.ts';
import { parsed, refused } from './command-params.ts';
import type { EventStreamFace } from './event-stream-face.ts';
import { numbered } from './protocol-event.ts';
import { Subscriptions } from './subscriptions.ts';
import { beginningOf, eventsOf } from './thread-events.ts';

export interface EventSocketOptions {
  readonly conversation: Conversation;
  readonly thread_id: string;
  /** The present caller and its rights. */
  readonly call: () => Promise<RunCall>;
  readonly log: Log;
}

const MAX_VALUES = 100_000;
const MAX_SUBSCRIPTIONS = 100;
/** How often to check whether there is a thread yet that this caller sees. */
const LOOK_MS = 1000;
/** WebSocket's close code for a violated policy. */
const POLICY = 1008;
const TRY_AGAIN_LATER = 1013;

/** The protocol's codes for what HTTP expresses by a status. */
const otherCodes: Readonly<Partial<Record<ProblemKind, ThreadErrorCode>>> = {
  unauthenticated: 'permission_denied',
  not_found: 'invalid_argument',
  too_large: 'invalid_argument',
  not_implemented: 'not_supported',
};

const UnsubscribeParams = z.object({ subscription_id: z.string() });

/** The event-streaming protocol on a WebSocket: commands one after the other, and the events of what is subscribed to. */
export class EventSocket {
  readonly #face: EventStreamFace;
  readonly #options: EventSocketOptions;
  readonly #subscriptions = new Subscriptions();
  /** Aborted by each command, since it may have made the thread. */
  #commanded = new AbortController();
  #reading = { stop: new AbortController(), ended: Promise.resolve() };

  constructor(face: EventStreamFace, options: EventSocketOptions) {
    this.#face = face;
    this.#options = options;
  }

  /** Serves the connection until the client leaves. */
  async serve(): Promise<void> {
    for await (const message of this.#options.conversation.messages()) await this.#take(message);
    this.#reading.stop.abort();
    await this.#reading.ended;
  }

  async #take(message: Buffer): Promise<void> {
    let id: number | null = null;
    try {
      const said = await parseJson(message, { max_values: MAX_VALUES });
      const command = ThreadCommand.safeParse(said);
      if (!command.success)
        throw refused('invalid_argument', 'Send an object with `id`, a whole number, `method` and `params`.');
      id = command.data.id;
      await this.#carryOut(command.data, await this.#options.call());
    } catch (error) {
      await this.#send({ type: 'error', id, ...this.#said(error) });
      // A caller who may no longer call gets no events either.
      if (error instanceof Problem && error.kind === 'unauthenticated')
        this.#options.conversation.close(POLICY, 'The caller is not let in any more.');
    }
  }

  async #carryOut(command: ThreadCommand, call: RunCall): Promise<void> {
    const { thread_id } = this.#options;
    const { id, method, params } = command;
    if (method === 'subscription.subscribe') return this.#subscribe(command, call);
    if (method === 'subscription.unsubscribe') {
      const { subscription_id } = parsed(UnsubscribeParams, params);
      if (!this.#subscriptions.remove(subscription_id))
        throw refused('no_such_subscription', 'There is no such subscription on this connection.');
      return this.#send({ type: 'success', id, result: {}, meta: { thread_id } });
    }
    await this.#send(await answerCommand(this.#face, { call, thread_id, command }));
    this.#commanded.abort();
  }

  async #subscribe({ id, params }: ThreadCommand, call: RunCall): Promise<void> {
    const { thread_id } = this.#options;
    if (this.#subscriptions.count >= MAX_SUBSCRIPTIONS)
      throw refused('invalid_argument', `A connection has at most ${MAX_SUBSCRIPTIONS} subscriptions.`);
    const filter = parsed(EventFilter, params);
    const filters = await filtersFor(this.#face, call, { action: 'read', value: { thread_id } });
    this.#reading.stop.abort();
    await this.#reading.ended;
    const after = filter.since ?? (await beginningOf(this.#face, thread_id));
    const subscription_id = this.#subscriptions.add(filter, after);
    await this.#send({ type: 'success', id, result: { subscription_id }, meta: { thread_id } });
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#options.conversation.signal]);
    const ended = this.#read(filters, signal).catch((error: unknown) => {
      if (!signal.aborted) this.#fail(error);
    });
    this.#reading = { stop, ended };
  }

  /** Sends the subscribed events. A thread that does not exist yet, or that this caller may not see, is silent. */
  async #read(filters: MetadataFilters | null, signal: AbortSignal): Promise<void> {
    const { thread_id } = this.#options;
    while (
      !signal.aborted &&
      (await findThreadSettings(this.#face.db, { thread_id, filters })) === undefined
    ) {
      this.#commanded = new AbortController();
      await pause(LOOK_MS, AbortSignal.any([signal, this.#commanded.signal]));
    }
    const after = this.#subscriptions.after;
    if (after === undefined || signal.aborted) return;
    const wants = this.#subscriptions.want.bind(this.#subscriptions);
    const onBehind = () => this.#options.conversation.close(TRY_AGAIN_LATER, 'Too far behind; come back.');
    const reader = { signal, onBehind };
    for await (const { told, seq } of eventsOf(this.#face, { thread_id, after, wants, reader }))
      await this.#send(numbered(told, seq));
  }

  /** Closes the connection: the client reconnects and continues from where it was. */
  #fail(error: unknown): void {
    this.#options.log.error('the events of a thread could not be sent', { error });
    this.#options.conversation.close(1011, 'The events cannot be sent right now; come back.');
  }

  async #send(said: object): Promise<void> {
    await this.#options.conversation.send(await writeJson(said));
  }

  #said(error: unknown): { readonly error: ThreadErrorCode; readonly message: string } {
    if (error instanceof Problem)
      return { error: codeOf(error) ?? otherCodes[error.kind] ?? 'unknown_error', message: error.sentence };
    const reference = crypto.randomUUID();
    this.#options.log.error('command failed', { reference, error });
    return {
      error: 'unknown_error',
      message: `Something went wrong here; the log has it under ${reference}.`,
    };
  }
}
