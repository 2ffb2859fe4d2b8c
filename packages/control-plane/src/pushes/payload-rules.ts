import type { IntegrationKind } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';

/** Reads the webhooks of each host. */

export interface PushPayload {
  readonly kind: 'push';
  /** Every address that the host gives for the repository. */
  readonly repo_urls: readonly string[];
  /** In full: `refs/heads/…`. */
  readonly ref: string;
  readonly before: string | null;
  /** Null: the ref was deleted. */
  readonly after: string | null;
  readonly default_branch: string | null;
}

export type Payload =
  | PushPayload
  /** The host tests whether anybody listens. */
  | { readonly kind: 'ping' }
  /** An event without consequences. */
  | { readonly kind: 'other' };

const text = z.string().max(2100);
const commit = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const address = text.nullish();

const Pushed = z.object({ ref: text, before: commit.nullish(), after: commit });
const GithubRepository = z.object({
  clone_url: address,
  ssh_url: address,
  html_url: address,
  default_branch: text.nullish(),
});
/** The payloads of Gitea and Forgejo are modelled on GitHub's. */
const GithubPush = Pushed.extend({ repository: GithubRepository });
const GiteaDeletion = z.object({ ref: text, ref_type: text, repository: GithubRepository });
const GitlabPush = Pushed.extend({
  object_kind: text,
  project: z.object({
    git_http_url: address,
    git_ssh_url: address,
    web_url: address,
    default_branch: text.nullish(),
  }),
});
const GenericPush = z.object({
  repo_url: text,
  ref: text,
  before: commit.nullish(),
  /** Null: the ref was deleted. */
  commit_sha: commit.nullable(),
  default_branch: text.nullish(),
});

const readers: Readonly<Record<IntegrationKind, (event: string, body: unknown) => Payload>> = {
  github: (event, body) => {
    if (event === 'ping') return { kind: 'ping' };
    return event === 'push' ? likeGithub(read(GithubPush, body)) : { kind: 'other' };
  },
  gitea: (event, body) => {
    if (event === 'push') return likeGithub(read(GithubPush, body));
    return event === 'delete' ? giteaDeletion(read(GiteaDeletion, body)) : { kind: 'other' };
  },
  gitlab: (_event, body) => {
    const { object_kind } = read(z.object({ object_kind: text.nullish() }), body);
    if (object_kind !== 'push') return { kind: 'other' };
    const { project, ...pushed } = read(GitlabPush, body);
    const repo_urls = [project.git_http_url, project.git_ssh_url, project.web_url];
    return push({ ...pushed, repo_urls, default_branch: project.default_branch });
  },
  generic: (_event, body) => {
    const { repo_url, commit_sha, ref, ...pushed } = read(GenericPush, body);
    const full = ref.startsWith('refs/') || ref === 'HEAD' ? ref : `refs/heads/${ref}`;
    return push({ ...pushed, ref: full, after: commit_sha, repo_urls: [repo_url] });
  },
};

/** @param event The name in the header. Throws `invalid` where the payload does not belong to the event. */
export function readPayload(
  kind: IntegrationKind,
  { event, body }: { event: string; body: unknown },
): Payload {
  return readers[kind](event, body);
}

function likeGithub({ repository, ...pushed }: z.output<typeof GithubPush>): Payload {
  const { clone_url, ssh_url, html_url, default_branch } = repository;
  return push({ ...pushed, repo_urls: [clone_url, ssh_url, html_url], default_branch });
}

function giteaDeletion({ ref, ref_type, repository }: z.output<typeof GiteaDeletion>): Payload {
  if (ref_type !== 'branch') return { kind: 'other' };
  const { clone_url, ssh_url, html_url, default_branch } = repository;
  const full = ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
  return push({ ref: full, after: null, repo_urls: [clone_url, ssh_url, html_url], default_branch });
}

/** Hosts write "no commit" as a commit of zeros. */
const orNone = (sha: string | null | undefined) => (sha == null || /^0+$/.test(sha) ? null : sha);

function push(said: {
  readonly ref: string;
  readonly before?: string | null | undefined;
  readonly after: string | null;
  readonly repo_urls: readonly (string | null | undefined)[];
  readonly default_branch?: string | null | undefined;
}): PushPayload {
  return {
    kind: 'push',
    repo_urls: said.repo_urls.filter((url) => typeof url === 'string'),
    ref: said.ref,
    before: orNone(said.before),
    after: orNone(said.after),
    default_branch: said.default_branch ?? null,
  };
}

function read<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [first] = result.error.issues;
  throw new Problem(
    'invalid',
    `The payload is not the one of this event: ${first?.path.join('.') || 'the body'} ${first?.message ?? ''}.`,
  );
}
