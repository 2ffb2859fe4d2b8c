import type { promptCommits } from '@roadstead/contracts/observability';
import { encodingOf, type Handlers, readBytes, unpack } from '@roadstead/http';
import { checkJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { jsonAnswer } from '../reading/json-answer.ts';
import { digestOf } from './commit-hash.ts';
import { commitAnswer, modelOf, parseCommit, withJson, withModel, withoutModel } from './commit-rules.ts';
import { countUse, findCommit, listCommits, readManifest } from './commit-store.ts';
import type { CommitRow, PromptRow } from './prompt-row.ts';
import { writeCommit } from './commit-work.ts';
import { promptAccess, type PromptOptions } from './prompt-work.ts';

type CommitHandlers = Handlers<typeof promptCommits>;
type CallOf<Name extends keyof CommitHandlers> = Parameters<CommitHandlers[Name]>[0];

const MAX_BYTES = 10_485_760;

export function commitHandlers(options: PromptOptions): CommitHandlers {
  const { db } = options;
  const { read, own } = promptAccess(options);
  return {
    listPromptCommits: async (call) => {
      const prompt = await read(call);
      const { limit, offset, tag } = call.query;
      const rows = await listCommits(db, { prompt_id: prompt.id, tag, limit, offset });
      const total = tag === undefined ? prompt.num_commits : rows.length;
      return jsonAnswer(pageText(db, rows, { prompt, total }));
    },
    createPromptCommit: async (call) => {
      const sent = await parseCommit(await bodyOf(call.request));
      const prompt = requirePromptKind(await own(call));
      const at = { prompt_id: prompt.id, actor: call.principal.actor };
      const written = await writeCommit(db, at, async () => sent);
      const text = commitText(written, { prompt, manifest: written.manifest });
      return jsonText(`{"commit":${text}}`, 201);
    },
    readPromptCommit: async (call) => pull(db, call, await read(call)),
  };
}

/** Versions of folders are written as folders. */
function requirePromptKind(row: PromptRow): PromptRow {
  if (row.kind === 'prompt' || row.kind === 'file') return row;
  throw new Problem('invalid', `A version of this ${row.kind} is written at its directories/commits.`);
}

async function pull(
  db: Database,
  { params, query }: CallOf<'readPromptCommit'>,
  prompt: PromptRow,
): Promise<Response> {
  const commit = await findCommit(db, { prompt_id: prompt.id, ref: params.commit });
  if (commit === undefined) throw new Problem('not_found', 'The prompt has no such commit.');
  await countUse(db, { commit, column: query.is_view ? 'num_views' : 'num_downloads' });
  const manifest = await readManifest(db, commit.id);
  const model = query.include_model ? await modelOf(manifest) : { model_config: null, model_provider: null };
  const said = {
    commit_hash: commit.hash,
    description: commit.description,
    examples: [],
    is_draft: false,
    ...model,
  };
  const shown = await (query.include_model ? withModel : withoutModel)(manifest);
  return jsonText(withJson(said, { manifest: shown }), 200);
}

async function bodyOf(request: Request): Promise<Buffer> {
  const packed = await readBytes(request, { max_bytes: MAX_BYTES });
  const bytes = await unpack(packed, { encoding: encodingOf(request.headers), max_bytes: MAX_BYTES });
  await checkJson(bytes);
  return bytes;
}

const commitText = (
  row: CommitRow,
  { prompt, manifest }: { readonly prompt: PromptRow; readonly manifest: string },
) => withJson(commitAnswer(row, { prompt, manifest_sha: digestOf(manifest) }), { manifest });

const jsonText = (text: string, status: number) =>
  new Response(text, { status, headers: { 'content-type': 'application/json' } });

async function* pageText(
  db: Database,
  rows: readonly CommitRow[],
  { prompt, total }: { readonly prompt: PromptRow; readonly total: number },
): AsyncGenerator<string> {
  yield '{"commits":[';
  for (const [index, row] of rows.entries()) {
    const manifest = await readManifest(db, row.id);
    yield (index === 0 ? '' : ',') + commitText(row, { prompt, manifest });
  }
  yield `],"total":${total}}`;
}
