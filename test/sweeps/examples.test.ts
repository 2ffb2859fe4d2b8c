import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { addresses, type Endpoint, isWellFormed } from '@roadstead/contracts';
import { originServices, services } from '@roadstead/contracts/services';
import { dataHome, startPlatform } from '../support/platform.ts';
import { filled, type Ids, makeThings, of, textOf } from './things.ts';

/** The example of every endpoint that is built: it fits the endpoint's own schema, and sent it does what it says. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path, { env: { ROADSTEAD_PUBLIC_SHARING: 'true' } }));

type Contracts = Record<string, Record<string, Endpoint>>;
const builtOf = (contracts: Contracts) =>
  Object.values(contracts).flatMap((contract) =>
    Object.entries(contract)
      .filter(([, { refused }]) => refused !== true)
      .map(([operation, endpoint]) => ({ operation, endpoint })),
  );
const built = builtOf(services);
const binary = new Set(['application/gzip', 'application/octet-stream']);
const takesText = ({ raw, media_type = 'application/json', method }: Endpoint) =>
  raw === true && method !== 'GET' && !binary.has(media_type);

test('when an endpoint takes something, then it has an example, which fits', () => {
  const [missing, wrong]: [string[], string[]] = [[], []];
  for (const { operation, endpoint } of built) {
    const { query, body, example } = endpoint;
    if ((body !== undefined || takesText(endpoint)) && example?.body === undefined) missing.push(operation);
    if (query !== undefined && example?.query === undefined) missing.push(operation);
    if (query?.safeParse(example?.query).success === false) wrong.push(operation);
    if (body?.safeParse(example?.body).success === false) wrong.push(operation);
  }
  expect({ missing, wrong }).toEqual({ missing: [], wrong: [] });
  expect(built.filter(({ endpoint }) => endpoint.example !== undefined).length).toBeGreaterThan(30);
});

test('when a text of a request is malformed, then its field is named, or it is repaired', () => {
  let tried = 0;
  for (const { operation, endpoint } of built) {
    for (const part of ['query', 'body'] as const) {
      const [schema, example] = [endpoint[part], endpoint.example?.[part]];
      if (schema === undefined) continue;
      for (const path of textPaths(example)) {
        for (const bad of ['canary\0', 'canary\uD800']) {
          const result = schema.safeParse(replaced(example, path, bad));
          // One value of a query may stand for a list.
          const named = result.error?.issues.some(
            (issue) => isPrefix(issue.path, path) || isPrefix(path, issue.path),
          );
          const got =
            result.success &&
            textPaths(result.data).some((at) => !isWellFormed(String(valueAt(result.data, at))));
          expect([operation, path, result.success ? !got : named]).toEqual([operation, path, true]);
          expect(JSON.stringify(result.error?.issues ?? [])).not.toContain('canary');
          tried += 1;
        }
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});

test('when a path parameter is malformed, then it is refused too', () => {
  const named = built.filter(({ endpoint }) => endpoint.params !== undefined);
  for (const { operation, endpoint } of named) {
    const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const result = endpoint.params?.safeParse(Object.fromEntries(names.map((name) => [name, 'a\0'])));
    expect([operation, result?.error?.issues.map(({ path }) => path[0])]).toEqual([
      operation,
      expect.arrayContaining(names),
    ]);
  }
  expect(named.length).toBeGreaterThan(20);
});

/** What the example can't succeed at here, and why. */
const otherwise: Readonly<Record<string, readonly [status: number, why: string]>> = {
  redeployRevision: [400, 'the deployment has no revision that was ever built'],
  restoreDeployment: [409, 'the deployment is not in the bin'],
  deleteDeployments: [404, 'the example names no deployment that is there'],
  createPushToken: [400, 'the deployment is of another source'],
  setDeploymentTier: [400, 'there are no tiers'],
  setResourceTiers: [400, 'there are no tiers'],
  deleteWorkspace: [409, 'the first workspace stays'],
  listGitRepositories: [400, 'a generic integration has no API that lists repositories'],
  listGithubRepositories: [400, 'a generic integration has no API that lists repositories'],
  listRepositories: [400, 'a generic integration has no API that lists repositories'],
  listForgeRepositories: [400, 'a generic integration has no API that lists repositories'],
  createInstallationLink: [400, 'the workspace has no app of a host'],
  receivePush: [401, 'nobody signed it'],
  deleteAuthToken: [404, 'it went with the caller’s others'],
  deleteDatasets: [404, 'the dataset was deleted before, by itself'],
  deleteAnnotationQueues: [404, 'the queue was deleted before, by itself'],
  addQueueReviewer: [404, 'the example names no member of the workspace'],
  deleteSessions: [404, 'the example names no project that is there'],
  resolveSession: [404, 'nothing was evaluated yet'],
  deleteExamples: [404, 'so was the dataset of the example'],
  readPromptDirectory: [404, 'the repository is a prompt, and no folder'],
  createPromptDirectoryCommit: [404, 'the repository is a prompt, and no folder'],
  deletePromptDirectory: [404, 'the repository is a prompt, and no folder'],
  createPromptTag: [404, 'the version of the example is none of the prompt’s'],
  patchPromptTag: [404, 'the version of the example is none of the prompt’s'],
  beginCompanySignIn: [404, 'no company’s sign-in is set up'],
  endCompanySignIn: [404, 'no company’s sign-in is set up'],
  authorize: [400, 'no client asks'],
  resumeAuthorization: [400, 'no authorization was begun'],
  readConsentPage: [404, 'no authorization was begun'],
  submitConsentPage: [404, 'no authorization was begun'],
  submitSignInLink: [400, 'no page was opened whose form it is'],
  submitApplicationsPage: [400, 'no page was opened whose form it is'],
  issueToken: [401, 'the client of the example is not registered'],
  discoverMcpProvider: [503, 'no MCP server is there'],
  readPlatformProvider: [404, 'there is none'],
  authCallback: [400, 'no flow was begun'],
  submitAuthPage: [400, 'no flow was begun'],
  finishAuth: [400, 'no flow was begun'],
  deleteAgentConnection: [404, 'the agent was given a token of its own in its place'],
  createAgentConnection: [404, 'the example names no token that is there'],
  startDeviceAuthorization: [401, 'the client of the example is not registered'],
  readImageBlob: [404, 'the deployment is of another source'],
  deleteImageBlob: [404, 'the deployment is of another source'],
  readImageUpload: [404, 'the deployment is of another source'],
  cancelImageUpload: [404, 'the deployment is of another source'],
  readImageManifest: [404, 'the deployment is of another source'],
  putImageManifest: [404, 'the deployment is of another source'],
  deleteImageManifest: [404, 'the deployment is of another source'],
  listImageTags: [404, 'the deployment is of another source'],
  listImageReferrers: [404, 'the deployment is of another source'],
};

/** What the examples name in their bodies. */
const namedInExamples = {
  dataset_id: '0199d3a0-0000-7000-8000-0000000000d1',
  example_id: '0199d3a0-0000-7000-8000-0000000000e1',
  experiment_id: '0199d3a0-0000-7000-8000-0000000000f1',
  run_id: '0199d3a0-0000-7000-8000-0000000000ae',
  queue_id: '0199d3a0-0000-7000-8000-0000000000c0',
};

test('when an example is sent with real ids, then it is answered with success', async () => {
  const sendable = builtOf(originServices).filter(
    ({ endpoint }) =>
      endpoint.auth === 'public' ||
      (endpoint.auth === 'key' &&
        endpoint.access !== 'listener' &&
        (endpoint.raw !== true || takesText(endpoint))),
  );
  // What removes comes last, and the part before the whole; with a project goes what was said of its runs. A revision
  // is interrupted before a newer one takes its place.
  const placeOf = ({ operation, endpoint: { method, path } }: (typeof sendable)[number]) => {
    if (method === 'DELETE') return path.startsWith('/sessions') ? 1 : 1 / path.split('/').length;
    return operation === 'interruptRevision' ? -1 : 0;
  };
  const things = await makeThings(platform(), namedInExamples);
  const ids = {
    ...things,
    document: 'identity.json',
    name: 'OPENAI_API_KEY',
    key: 'OPENAI_API_KEY',
    workspace: of(things, 'workspace_id'),
    deployment: of(things, 'deployment_id'),
    image: 'agent',
    digest: `sha256:${'0'.repeat(64)}`,
    reference: 'latest',
    upload: of(things, 'deployment_id'),
  };
  for (const { operation, endpoint } of sendable.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { query = {}, body } = (endpoint.example ?? {}) as {
      query?: Record<string, unknown>;
      body?: unknown;
    };
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query))
      for (const one of [value].flat()) search.append(name, realId(name, ids) ?? String(one));
    const path = `${filled(addresses(endpoint)[0] ?? '', ids)}?${search.toString()}`;
    const answer = await fetch(platform().url + path, {
      method: endpoint.method,
      headers: {
        'x-api-key': platform().key,
        accept: 'application/json, text/event-stream',
        'content-type':
          endpoint.media_type === 'multipart/form-data'
            ? 'multipart/form-data; boundary=example'
            : (endpoint.media_type ?? 'application/json'),
      },
      ...(body === undefined ? {} : { body: bodyText(body, ids) }),
    });
    const text = await textOf(answer, endpoint);
    const status = otherwise[operation]?.[0] ?? endpoint.success.status;
    expect([operation, answer.status, text]).toEqual([operation, status, text]);
    const result = answer.ok ? endpoint.success.body?.safeParse(JSON.parse(text)) : undefined;
    expect([operation, result?.error?.issues]).toEqual([operation, undefined]);
  }
  expect(sendable.length).toBeGreaterThan(30);
});

/** The project or the deployment of an example stands for a real one. */
function realId(name: string, ids: Ids): string | undefined {
  if (/^(project|session)_id$/.test(name)) return of(ids, 'session_id');
  return name === 'deployment_id' ? of(ids, name) : undefined;
}

/** The project of the example, and its provider of models, stand for real ones. */
function bodyText(body: unknown, ids: Ids): string {
  if (typeof body === 'string') return body;
  const session_id = of(ids, 'session_id');
  return JSON.stringify(body, (name, value: unknown) => {
    if (Array.isArray(value) && value.includes(namedInExamples.experiment_id)) return value;
    if (name === 'model_provider_id') return of(ids, name);
    if (/^(session|session_ids|project_ids)$/.test(name)) return [session_id];
    return name === 'project_id' || name === 'session_id' ? session_id : value;
  });
}

type Path = readonly PropertyKey[];

function textPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value === 'string') return [at];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    textPaths(inner, [...at, Array.isArray(value) ? Number(key) : key]),
  );
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)[key], value);

function replaced(value: unknown, path: Path, text: string): unknown {
  const copy = structuredClone(value);
  const holder = valueAt(copy, path.slice(0, -1)) as Record<PropertyKey, unknown>;
  holder[path.at(-1) ?? ''] = text;
  return copy;
}

const isPrefix = (prefix: Path, path: Path) => prefix.every((key, index) => key === path[index]);
