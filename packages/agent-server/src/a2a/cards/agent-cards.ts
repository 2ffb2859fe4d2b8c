import type { A2aVersion } from '@roadstead/contracts/agent-server';
import { createHash } from 'node:crypto';
import { canonicalText, toJson } from '../../json/json-text.ts';
import type { ServedAssistant } from '../../engine/served-revision.ts';
import type { A2aOptions } from '../a2a-options.ts';
import { assistantWords, sendsA2ui } from '../assistant-words.ts';
import { type CardFacts, encodeCard, viewsOf } from './card-codec.ts';
import { type PublicCardKey, publicCardKey, signCard } from './card-signing.ts';

/** The agent cards of a deployment, signed where a graph asks for it. */

/** A card as it is sent. */
interface SentCard {
  readonly text: string;
  readonly etag: string;
  /** When this process first sent it in this form. */
  readonly since: Date;
}

export interface AgentCards {
  card(assistant: ServedAssistant, version: A2aVersion | undefined): Promise<SentCard>;
  /** Undefined where the graph has no more to show to callers with a key. */
  extendedCard(assistant: ServedAssistant, version: A2aVersion): Promise<object | undefined>;
  /** The keys by which signatures are verified; undefined where no card is signed. */
  keys(): Promise<{ readonly keys: readonly PublicCardKey[] } | undefined>;
}

/** Cards are few and change with revisions only. */
const MOST_KEPT = 100;

export function createAgentCards(options: A2aOptions): AgentCards {
  const base = () => options.public_url().replace(/\/+$/, '');
  // Each signature differs, so signed cards are kept: a card keeps its ETag.
  const kept = new Map<string, Promise<SentCard>>();

  const factsOf = (assistant: ServedAssistant, extended: boolean): CardFacts => ({
    url: `${base()}/a2a/${assistant.assistant_id}`,
    assistant_id: assistant.assistant_id,
    graph: assistant.graph,
    assistant: assistantWords(assistant),
    a2ui: sendsA2ui(options, assistant),
    deployment: options.name,
    version: options.version,
    security: options.security(),
    push: options.push !== undefined,
    extended,
  });
  const signed = async (facts: CardFacts, version: A2aVersion | undefined): Promise<object> => {
    const card = encodeCard(facts, version);
    if (facts.graph.card?.signed !== true) return card;
    const [key, jku] = [await options.card_key(), `${base()}/.well-known/jwks.json`];
    return { ...card, signatures: signCard(viewsOf(facts, version), { key, jku }) };
  };
  const sent = async (facts: CardFacts, version: A2aVersion | undefined): Promise<SentCard> => {
    const text = toJson(await signed(facts, version));
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    return { text, etag, since: new Date() };
  };

  return {
    card: (assistant, version) => {
      const facts = factsOf(assistant, false);
      const name = canonicalText({ facts, version: version ?? null });
      const known = kept.get(name);
      if (known !== undefined) return known;
      if (kept.size >= MOST_KEPT) kept.clear();
      const made = sent(facts, version);
      kept.set(name, made);
      made.catch(() => kept.delete(name));
      return made;
    },
    extendedCard: async (assistant, version) =>
      assistant.graph.card?.extended === undefined
        ? undefined
        : await signed(factsOf(assistant, true), version),
    keys: async () =>
      options.engine.assistants().some(({ graph }) => graph.card?.signed === true)
        ? { keys: [publicCardKey(await options.card_key())] }
        : undefined,
  };
}
