import {
  type ClientCapabilities,
  createRequestStateCodec,
  inputRequired,
  type InputRequests,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { text } from './fixture-content.ts';
import { register } from './fixture-tools.ts';

/** Tools and a prompt that ask the client for something before they answer (2026-07-28). */

/** Seals what a tool has to remember between two requests. */
export const codec = createRequestStateCodec<string>({ key: 'of the conformance fixtures, 32 bytes' });

const form = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
const name = form('What is your name?', 'name');
const question = (said: string) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: text(said) }],
    maxTokens: 100,
  });
const capital = question('What is the capital of France?');

interface InputRound {
  readonly requests: InputRequests;
  /** What the sealed state holds; none unless given. */
  readonly state?: string;
  readonly answer?: string;
}

/** Asks until every request has an answer of its kind. */
const asking =
  ({ requests, state, answer = 'All was answered.' }: InputRound) =>
  async ({ mcpReq }: ServerContext) => {
    const isAnswered = Object.keys(requests).every(
      (key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
    );
    const isSame = state === undefined || mcpReq.requestState<string>() === state;
    if (isAnswered && isSame) return [text(answer)];
    return inputRequired({
      inputRequests: requests,
      ...(state === undefined ? {} : { requestState: await codec.mint(state) }),
    });
  };

const rounds: Readonly<Record<string, InputRound>> = {
  elicitation: { requests: { user_name: name } },
  sampling: { requests: { capital_question: capital } },
  list_roots: { requests: { client_roots: inputRequired.listRoots() } },
  request_state: { requests: { confirm: name }, state: 'asked', answer: 'state-ok' },
  tampered_state: { requests: { confirm: name }, state: 'sealed' },
  multiple_inputs: {
    requests: { user_name: name, greeting: question('Greet me.'), client_roots: inputRequired.listRoots() },
    state: 'three',
  },
};

async function askTwice({ mcpReq }: ServerContext) {
  const round = mcpReq.requestState<string>();
  if (round === 'first' && inputResponse(mcpReq.inputResponses, 'step1').kind === 'elicit')
    return inputRequired({
      inputRequests: { step2: form('What is your favourite colour?', 'color') },
      requestState: await codec.mint('second'),
    });
  if (round === 'second' && inputResponse(mcpReq.inputResponses, 'step2').kind === 'elicit')
    return [text('Both rounds are over.')];
  return inputRequired({ inputRequests: { step1: name }, requestState: await codec.mint('first') });
}

export function registerInputs(server: McpServer): void {
  for (const [kind, round] of Object.entries(rounds))
    register(server, `test_input_required_result_${kind}`, asking(round));
  register(server, 'test_input_required_result_multi_round', askTwice);
  register(server, 'test_input_required_result_capabilities', async (context) =>
    asking({ requests: asFarAs(server.server.getClientCapabilities()) })(context),
  );
  // The client that calls it can't sample: it is refused for that.
  register(server, 'test_missing_capability', asking({ requests: { capital_question: capital } }));
  register(server, 'test_streaming_elicitation', asking({ requests: { user_name: name } }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks for its context first.' },
    async ({ mcpReq }) => {
      if (inputResponse(mcpReq.inputResponses, 'user_context').kind === 'missing')
        return inputRequired({
          inputRequests: { user_context: form('What context should the prompt use?', 'context') },
        });
      return { messages: [{ role: 'user', content: text('With the context that was given.') }] };
    },
  );
}

/** Only what the client can be asked for. */
function asFarAs(client: ClientCapabilities | undefined): InputRequests {
  return {
    ...(client?.elicitation === undefined ? {} : { user_name: name }),
    ...(client?.sampling === undefined ? {} : { capital_question: capital }),
  };
}
