import type { controlPlane } from '@roadstead/contracts';
import type { Handlers, Queryable } from '@roadstead/kit';
import { workspaceOf } from '../caller.ts';
import type { Context } from '../context.ts';
import { checkDeployment, readRevision } from '../revisions/revision-routes.ts';
import { lineId, linesAfter, type LogPosition, type PlacedLine, positionOf } from './log-rules.ts';
import { type ChunkOf, listChunks, type StoredLine } from './log-store.ts';

type LogHandlers = Pick<Handlers<typeof controlPlane>, 'readRevisionLogs' | 'readDeploymentLogs'>;
type LogQuery = Parameters<LogHandlers['readDeploymentLogs']>[0]['query'];

export function logHandlers({ db }: Context): LogHandlers {
  return {
    readRevisionLogs: async (call) => {
      await checkDeployment(db, workspaceOf(call), call.params.deployment_id);
      await readRevision(db, call.params);
      return readPage(db, call.params, call.query);
    },
    readDeploymentLogs: async (call) => {
      await checkDeployment(db, workspaceOf(call), call.params.deployment_id);
      return readPage(db, { ...call.params, revision_id: undefined }, call.query);
    },
  };
}

async function readPage(
  db: Queryable,
  of: Pick<ChunkOf, 'deployment_id' | 'revision_id'>,
  { type, limit, offset, order }: LogQuery,
) {
  const kind = type === 'build' ? 'build' : 'server';
  const after = positionOf(offset);
  const page = await collect(db, { ...of, kind }, { after, order, limit });
  const last = page.at(-1);
  return {
    logs: page.map(({ position, line }) => ({
      id: lineId(position),
      timestamp: line.at,
      level: line.level,
      message: line.message,
    })),
    // Given as long as there are lines, so that who follows a log can come back with it.
    next_offset: last === undefined ? null : lineId(last.position),
  };
}

async function collect(
  db: Queryable,
  of: ChunkOf,
  want: { readonly after: LogPosition | undefined; readonly order: 'asc' | 'desc'; readonly limit: number },
): Promise<PlacedLine<StoredLine>[]> {
  const { order, limit } = want;
  const lines: PlacedLine<StoredLine>[] = [];
  let { after } = want;
  while (lines.length < limit) {
    const chunks = await listChunks(db, of, { position: after, order });
    const last = chunks.at(-1);
    lines.push(...linesAfter(chunks, { after, order }));
    // The chunk of the position itself comes again; alone, it is the end.
    if (last === undefined || last.id === after?.chunk_id) break;
    after = { chunk_id: last.id, index: order === 'asc' ? last.lines.length - 1 : 0 };
  }
  return lines.slice(0, limit);
}
