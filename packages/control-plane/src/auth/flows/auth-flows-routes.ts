import type { authFlows } from '@roadstead/contracts/control-plane';
import { type Handlers, readBytes, statusOf } from '@roadstead/http';
import { Problem, problemOf } from '@roadstead/kit';
import { isOwnForm } from '@roadstead/pages';
import type { AuthContext } from '../auth-context.ts';
import { failFlow, finishFlow, readOpenFlow } from './finish-work.ts';
import { askingPage, notePage, pageAnswer } from './flow-page.ts';
import { findAgentName } from './flow-store.ts';
import { callerOf } from '../acting-rules.ts';
import { authenticate } from './authenticate-work.ts';
import { waitForFlow } from './wait-work.ts';

type AuthFlowHandlers = Handlers<typeof authFlows>;
type CallbackQuery = Parameters<AuthFlowHandlers['authCallback']>[0]['query'];

const MAX_BYTES = 32_768;

/**
 * Serves flows to the agents that begin and await them, and the pages on which a person comes back from a provider.
 * Opening a page stores nothing: only a button does.
 */
export function authFlowHandlers(context: AuthContext): AuthFlowHandlers {
  return {
    authenticate: async ({ principal, body }) =>
      authenticate(context, { caller: callerOf(principal), request: body }),
    waitForAuth: async ({ principal, params, query, signal }) =>
      waitForFlow(context, { caller: callerOf(principal), ...params, timeout_s: query.timeout }, signal),
    finishAuth: async ({ principal, params, body }) => {
      const caller = callerOf(principal);
      const { id } = await finishFlow(context, { ...params, ...body, caller });
      return { status: 'completed', auth_id: id, provider_id: params.provider_id };
    },
    authCallback: async ({ params, query }) => orPage(() => receive(context, { ...params, ...query })),
    authSetup: async ({ params, query }) =>
      orPage(async () =>
        query.setup_action === 'update' || query.code === undefined || query.state === undefined
          ? pageAnswer(notePage(installed))
          : receive(context, { ...params, ...query }),
      ),
    submitAuthPage: async ({ params, request }) =>
      orPage(async () => decided(context, { ...params, fields: await readFields(context, request) })),
  };
}

const installed = {
  title: 'The app is installed',
  sentences: ['Nothing else has to be done here. You can close this page.'],
};

async function receive(
  context: AuthContext,
  { provider_id, state, code, iss, error }: CallbackQuery & { readonly provider_id: string },
): Promise<Response> {
  if (state === undefined)
    throw new Problem('invalid', 'This address is for browsers that an OAuth provider returns.');
  const { flow, provider } = await readOpenFlow(context, { provider_id, state, iss });
  if (error !== undefined || code === undefined) {
    const failure = error !== undefined && /^[a-z_]{1,60}$/.test(error) ? error : 'unknown_error';
    await failFlow(context, { flow, from: 'pending', failure });
    return pageAnswer(notePage(refused(provider.name, failure)));
  }
  const agent = (await findAgentName(context.db, flow)) ?? flow.agent_id ?? undefined;
  const page = askingPage({
    action: `${context.public_url}${context.auth_callback_path}/${encodeURIComponent(provider_id)}/answer`,
    provider_name: provider.name,
    agent,
    user_id: flow.user_id,
    scopes: flow.scopes,
    returned: { state, code, iss },
  });
  return pageAnswer(page);
}

const refused = (provider: string, failure: string) => ({
  title: 'Not connected',
  sentences: [
    failure === 'access_denied'
      ? `You did not allow it at ${provider}, so nothing was connected.`
      : `${provider} did not allow it (${failure}), so nothing was connected.`,
    'You can close this page.',
  ],
});

async function readFields({ public_url }: AuthContext, request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const fields = new URLSearchParams((await readBytes(request, { max_bytes: MAX_BYTES })).toString());
  if (type !== 'application/x-www-form-urlencoded' || !isOwnForm(request.headers, public_url))
    throw new Problem('invalid', 'This was not sent by a page of this Roadstead.', {
      hint: 'Go back to where you came from, and begin again.',
    });
  return fields;
}

async function decided(
  context: AuthContext,
  { provider_id, fields }: { readonly provider_id: string; readonly fields: URLSearchParams },
): Promise<Response> {
  const [state, code, iss] = [fields.get('state') ?? '', fields.get('code') ?? '', fields.get('iss')];
  const { flow, provider } = await readOpenFlow(context, { provider_id, state, iss });
  if (fields.get('do') === 'cancel') {
    await failFlow(context, { flow, from: 'pending', failure: 'canceled' });
    return pageAnswer(
      notePage({ title: 'Not connected', sentences: ['Nothing was connected. You can close this page.'] }),
    );
  }
  if (fields.get('do') !== 'connect' || code === '')
    throw new Problem('invalid', 'Choose one of the buttons.');
  await finishFlow(context, { provider_id, state, iss, code, caller: undefined });
  return pageAnswer(
    notePage({
      title: `${provider.name} is connected`,
      sentences: ['You can close this page and return to where you came from.'],
    }),
  );
}

/** A refusal as a page, which repeats nothing of the address. */
async function orPage(answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) throw error;
    const { message, hint } = problem;
    const sentences = [message, hint ?? 'Go back to where you came from, and begin again.'];
    return pageAnswer(notePage({ title: 'This did not work', sentences }), statusOf(problem));
  }
}
