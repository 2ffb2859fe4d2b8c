import { Conversation } from '@roadstead/contracts/messages';
import { type ShownMessage, shownMessagesIn } from './shown-message-rules.ts';

/** A root run in the form of `GET /v2/threads/{id}/traces`. */
export interface Turn extends TurnPlace {
  readonly inputs?: unknown;
  readonly outputs?: unknown;
}

interface TurnPlace {
  readonly trace_id: string;
  readonly start_time?: string | undefined;
}

/** A message of `get_thread_history`. */
export interface ThreadMessage extends Omit<ShownMessage, 'id'> {
  readonly run_id: string;
  readonly trace_id: string;
  /** The start of its turn, ISO 8601. */
  readonly start_time: string | null;
}

/** Builds the conversation of a thread from its turns. */
export class ThreadConversation {
  readonly #conversation = new Conversation<ShownMessage, TurnPlace>();

  get isFull(): boolean {
    return this.#conversation.isFull;
  }

  /** Adds the new messages of the next turn; yields where others may have their turn. */
  *add({ inputs, outputs, ...place }: Turn): Generator<void, void, void> {
    yield* this.#conversation.add({
      inputs: shownMessagesIn(inputs, 'inputs'),
      outputs: shownMessagesIn(outputs, 'outputs'),
      place,
    });
  }

  get messages(): ThreadMessage[] {
    return this.#conversation.entries.map(({ message, place: { trace_id, start_time } }) => {
      const { id: _id, ...said } = message;
      return { ...said, run_id: trace_id, trace_id, start_time: start_time ?? null };
    });
  }
}
