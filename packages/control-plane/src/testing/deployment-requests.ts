import { useFixture } from '@roadstead/testing';
import { createRequest, startFixture } from './fixture.ts';

let serial = 0;
/** A name that no deployment has yet. */
export const fresh = (): string => `agent-${(serial += 1)}`;

// oxlint-disable-next-line roadstead/two-positional -- a body, its headers, and its method
export const json = (body: unknown, headers: Record<string, string> = {}, method = 'POST'): RequestInit => ({
  method,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', ...headers },
});

/** A control plane for the tests of a file; `create` makes a deployment there. */
export function useDeployments() {
  const fixture = useFixture(startFixture);
  const client = () => fixture().client();
  const create = (name = fresh()) => client().createDeployment({ body: createRequest(name) });
  return { fixture, client, create };
}
