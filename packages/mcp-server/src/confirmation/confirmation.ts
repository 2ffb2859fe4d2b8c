import { createHash, randomBytes } from 'node:crypto';
import {
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { Problem } from '@roadstead/kit';

/**
 * Asks the user, through the client, before a tool acts. For clients that answer with another request, the question
 * is sealed into the request’s state: an answer counts only for the same call and the same sentence.
 */

/** The call and sentence that an answer belongs to. */
interface Agreement {
  readonly digest: string;
}

export type Confirmations = RequestStateCodec<Agreement>;

const TTL_S = 600;

/**
 * @param secrets those of every process that may get the answer; the first seals, all open. By default one of this
 *   process.
 */
export function createConfirmations(secrets: readonly string[] = []): Confirmations {
  const [sealing = codecOf(randomBytes(32)), ...others] = secrets.map((secret) =>
    codecOf(createHash('sha256').update(`mcp confirmations\0${secret}`).digest()),
  );
  return {
    mint: sealing.mint,
    verify: async (state, context) => {
      const opened = sealing.verify(state, context);
      // The words of the first one say why none opens it.
      return others.reduce(
        (found, codec) => found.catch(async () => codec.verify(state, context).catch(async () => opened)),
        opened,
      );
    },
  };
}

const codecOf = (key: Uint8Array): Confirmations =>
  createRequestStateCodec<Agreement>({
    key,
    ttlSeconds: TTL_S,
    bind: ({ http, mcpReq }) => JSON.stringify([mcpReq.method, http?.authInfo?.clientId ?? '']),
  });

/** Thrown to end a call that is repeated once the client has the user’s answer. */
export class AnswerNeeded extends Error {
  readonly result: InputRequiredResult;

  constructor(result: InputRequiredResult) {
    super('The user has to be asked.');
    this.result = result;
  }
}

export interface ConfirmableCall {
  readonly tool: string;
  readonly sent: unknown;
  /** The model’s claim about the user. */
  readonly has_agreed: boolean;
  readonly request: ServerContext;
  readonly client: ClientCapabilities | undefined;
  readonly confirmations: Confirmations;
}

const ANSWER = 'confirmation';
const question = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Do it', default: true } },
  required: ['confirm'],
};

/**
 * Returns once the user has agreed to a sentence.
 * @throws AnswerNeeded, and Problem `declined` or, where the client can’t ask, `confirmation_required`
 */
export async function askUser(message: string, call: ConfirmableCall): Promise<void> {
  const { request, client, confirmations, has_agreed } = call;
  const can_ask = canAsk(client);
  if (has_agreed && !can_ask) return;
  const digest = digestOf(message, call);
  const answered = request.mcpReq.requestState<Agreement>()?.digest === digest;
  const answer = inputResponse(request.mcpReq.inputResponses, ANSWER);
  if (answered && answer.kind === 'elicit') {
    if (answer.action === 'accept' && answer.content?.['confirm'] === true) return;
    throw new Problem('invalid', 'The user declined, so nothing was done.', {
      code: 'declined',
      hint: 'Ask the user what should be different before calling again.',
    });
  }
  if (!can_ask)
    throw new Problem('invalid', `This needs the user’s consent, and nothing was done yet. ${message}`, {
      code: 'confirmation_required',
      hint: 'Ask the user; where they agree, call again with the same inputs and confirm: true.',
    });
  throw new AnswerNeeded(
    inputRequired({
      inputRequests: { [ANSWER]: inputRequired.elicit({ message, requestedSchema: question }) },
      requestState: await confirmations.mint({ digest }, request),
    }),
  );
}

/** A client that announces just `elicitation: {}` can show forms. */
function canAsk(client: ClientCapabilities | undefined): boolean {
  const elicitation = client?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

const digestOf = (message: string, { tool, sent }: ConfirmableCall) =>
  createHash('sha256')
    .update(JSON.stringify([tool, message, sorted(sent)]))
    .digest('base64url');

/** The same value for the same arguments, in any order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, inner]) => [name, sorted(inner)]);
}
