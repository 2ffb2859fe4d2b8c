import { createSign } from 'node:crypto';
import { type Clock, Problem } from '@roadstead/kit';
import type { GuardedFetch } from '@roadstead/outbound';
import { z } from 'zod';
import type { StoredCredential } from './credential-rules.ts';
import { askHost, type HostAnswer } from './host-request.ts';

type GithubApp = Extract<StoredCredential, { kind: 'github_app' }>;

/** Tokens of GitHub Apps: an app authenticates by its key, and gets a token of an hour for each installation. */
export interface AppTokens {
  /** The token of an installation; the same one until shortly before it ends. */
  readonly tokenOf: (
    integration: { readonly id: string; readonly host: string },
    app: GithubApp,
  ) => Promise<string>;
  /** Calls the API as the app itself. */
  readonly ask: (host: string, app: GithubApp, path: string) => Promise<HostAnswer>;
}

/** GitHub refuses a lifetime above ten minutes, and clocks that differ by an hour. */
const PROOF_S = 540;
const SKEW_S = 60;
/** A token that ends while git runs is useless. */
const SPARE_MS = 10 * 60_000;
const MAX_KEPT = 1000;

const Token = z.object({ token: z.string().min(1), expires_at: z.iso.datetime({ offset: true }) });

export function createAppTokens({ outbound, now }: { outbound: GuardedFetch; now: Clock['now'] }): AppTokens {
  const kept = new Map<string, { readonly token: string; readonly until_ms: number }>();
  const proofOf = ({ app_id, private_key }: GithubApp) => {
    const at_s = Math.floor(now() / 1000);
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: at_s - SKEW_S, exp: at_s + PROOF_S, iss: app_id })}`;
    return `${claims}.${createSign('RSA-SHA256').update(claims).sign(private_key, 'base64url')}`;
  };
  const ask: AppTokens['ask'] = (host, app, path) =>
    askHost(outbound, { kind: 'github', host, path, authorization: `Bearer ${proofOf(app)}` });
  return {
    ask,
    tokenOf: async ({ id, host }, app) => {
      const name = JSON.stringify([id, app.app_id, app.installation_id]);
      const known = kept.get(name);
      if (known !== undefined && known.until_ms - now() > SPARE_MS) return known.token;
      const { body } = await askHost(outbound, {
        kind: 'github',
        host,
        method: 'POST',
        path: `/app/installations/${app.installation_id}/access_tokens`,
        authorization: `Bearer ${proofOf(app)}`,
      });
      const read = Token.safeParse(body);
      if (!read.success) throw new Problem('unavailable', `${host} answered without a token.`);
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(name, { token: read.data.token, until_ms: Date.parse(read.data.expires_at) });
      return read.data.token;
    },
  };
}
