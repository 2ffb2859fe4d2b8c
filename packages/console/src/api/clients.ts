import { agentServer } from '@roadstead/contracts/agent-server';
import { createClient } from '@roadstead/contracts/client';
import { controlPlane } from '@roadstead/contracts/control-plane';
import { identity } from '@roadstead/contracts/identity';
import { observability } from '@roadstead/contracts/observability';
import { agentPath } from '../words/agent-address.ts';
import { isRenewable } from '../session/session-rules.ts';
import { accessToken, expireToken } from '../session/session.ts';

/** The public API, by the typed clients that every other client of ours has. */

/** Sends a request as the person who is signed in; once more, with a new token, where the token was refused. */
export async function authorizedFetch(request: Request): Promise<Response> {
  const again = request.clone();
  const bearer = await accessToken();
  const answer = await fetch(withBearer(request, bearer));
  if (answer.status !== 401 || !isRenewable(request.url)) return answer;
  expireToken(bearer);
  return fetch(withBearer(again, await accessToken()));
}

function withBearer(request: Request, bearer: string): Request {
  request.headers.set('authorization', `Bearer ${bearer}`);
  return request;
}

const options = { base_url: location.origin, fetch: authorizedFetch };

export const control = createClient(controlPlane, options);
export const people = createClient(identity, options);
export const traces = createClient(observability, options);

/** The agent server of a deployment, by the name in its address. */
export const agentAt = (slug: string) =>
  createClient(agentServer, { ...options, base_url: location.origin + agentPath(slug) });
