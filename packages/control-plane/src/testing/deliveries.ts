import { createHmac } from 'node:crypto';
import type { IntegrationKind } from '@roadstead/contracts/control-plane';

/** Webhooks of git hosts: payloads written from the fields that they document, and their signatures. */

export const NONE = '0'.repeat(40);

interface Push {
  readonly before: string;
  readonly after: string;
  readonly ref?: string;
  /** Without its protocol: `git.example.com/acme/agent`. */
  readonly at?: string;
}

const AT = 'git.example.com/acme/agent';

function names(at: string) {
  const [host = '', ...path] = at.split('/');
  return { https: `https://${at}.git`, ssh: `git@${host}:${path.join('/')}.git`, web: `https://${at}`, path };
}

/** The payload of a push, by host. */
export const payloads: Readonly<Record<IntegrationKind, (push: Push) => object>> = {
  github: ({ before, after, ref = 'refs/heads/main', at = AT }) => ({
    ref,
    before,
    after,
    base_ref: null,
    created: before === NONE,
    deleted: after === NONE,
    forced: false,
    compare: `https://${at}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: [],
    head_commit: after === NONE ? null : { id: after, message: 'Answer in the user’s language' },
    repository: {
      id: 4711,
      name: names(at).path.at(-1),
      full_name: names(at).path.join('/'),
      private: true,
      html_url: names(at).web,
      clone_url: names(at).https,
      ssh_url: names(at).ssh,
      default_branch: 'main',
    },
    pusher: { name: 'a-person', email: 'a-person@example.com' },
  }),
  gitea: (push) => ({ ...payloads.github(push), total_commits: 1, sender: { login: 'a-person' } }),
  gitlab: ({ before, after, ref = 'refs/heads/main', at = AT }) => ({
    object_kind: 'push',
    event_name: 'push',
    before,
    after,
    ref,
    ref_protected: true,
    checkout_sha: after === NONE ? null : after,
    user_username: 'a-person',
    project_id: 15,
    project: {
      id: 15,
      name: 'agent',
      web_url: names(at).web,
      git_ssh_url: names(at).ssh,
      git_http_url: names(at).https,
      path_with_namespace: names(at).path.join('/'),
      default_branch: 'main',
    },
    commits: [],
    total_commits_count: 0,
  }),
  generic: ({ before, after, ref = 'main', at = AT }) => ({
    repo_url: names(at).ssh,
    ref,
    ...(before === NONE ? {} : { before }),
    commit_sha: after === NONE ? null : after,
  }),
};

/** The headers with which each host signs a body. */
export const signatures: Readonly<
  Record<IntegrationKind, (body: string, secret: string, id?: string) => Record<string, string>>
> = {
  github: (body, secret, id = crypto.randomUUID()) => ({
    'x-github-event': 'push',
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${hex(body, secret)}`,
  }),
  gitea: (body, secret, id = crypto.randomUUID()) => ({
    'x-gitea-event': 'push',
    'x-gitea-delivery': id,
    'x-gitea-signature': hex(body, secret),
  }),
  gitlab: (_body, secret, id = crypto.randomUUID()) => ({
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-event-uuid': id,
    'x-gitlab-token': secret,
  }),
  generic: (body, secret, id = crypto.randomUUID()) => standard(body, secret, { id }),
};

/** @see https://www.standardwebhooks.com */
export function standard(
  body: string,
  secret: string,
  { id = crypto.randomUUID(), at_s = Math.floor(Date.now() / 1000) }: { id?: string; at_s?: number } = {},
): Record<string, string> {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${at_s}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(at_s), 'webhook-signature': `v1,${signature}` };
}

const hex = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex');
