import type { Revision, revisions } from '@roadstead/contracts/control-plane';
import type { Call, Handlers } from '@roadstead/http';
import type { Queryable } from '@roadstead/postgres';
import { checkIfMatch, doOnce } from '../requests/caller.ts';
import type { Context } from '../context/context.ts';
import { respond, showDeployment } from '../deployments/deployment-answer.ts';
import { readDeploymentView } from '../records/deployment-view-store.ts';
import { readSecretNames } from '../environments/environment-store.ts';
import { changeDeployment } from '../deployments/deployment-change-work.ts';
import { receiveTemplate } from '../templates/template-receipt-work.ts';
import { revisionAnswer } from './revision-answer-rules.ts';
import { listRevisions, readRevision, type RevisionRow } from '../records/revision-store.ts';
import { interruptRevision } from './revision-interruption-work.ts';
import { rollBack } from './rollback-work.ts';

type RevisionHandlers = Handlers<typeof revisions>;
type RevisionCall = Call<{ deployment_id: string; revision_id: string }, undefined, undefined>;

export function revisionHandlers(context: Context): RevisionHandlers {
  const { db } = context;
  const interrupt = (call: RevisionCall) => interruptByCall(context, call);
  return {
    listRevisions: async (call) => {
      const { deployment_id } = call.params;
      const { remote_reconciled, ...page } = call.query;
      const { is_remote } = await readDeploymentView(db, {
        workspace_id: call.workspace_id,
        id: deployment_id,
      });
      if (remote_reconciled === !is_remote) return { resources: [], offset: page.offset };
      const rows = await listRevisions(db, deployment_id, page);
      return { resources: await answersOf(db, rows), offset: call.query.offset + rows.length };
    },
    readRevision: async (call) => {
      const { deployment_id, revision_id } = call.params;
      await readDeploymentView(db, { workspace_id: call.workspace_id, id: deployment_id });
      return answerOf(db, await readRevision(db, { deployment_id, id: revision_id }));
    },
    createRevision: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const { source, source_config } = await readDeploymentView(db, at);
      // A template is taken in its present state; a patch keeps the earlier one.
      const source_digest =
        source === 'internal_template'
          ? await receiveTemplate(context, source_config.template_id)
          : undefined;
      const answer = await doOnce(context, call, {
        operation: 'createRevision',
        about: [at.id],
        work: async (tx) => {
          await changeDeployment(tx, context, {
            ...at,
            patch: call.body,
            kind: 'api',
            source_digest,
            actor: call.principal.actor,
            check: (version) => checkIfMatch(call.request, version),
          });
          const { latest_revision_id } = await readDeploymentView(tx, at);
          return answerOf(tx, await readRevision(tx, { deployment_id: at.id, id: latest_revision_id ?? '' }));
        },
      });
      context.wake(at.id);
      return answer;
    },
    redeployRevision: async (call) => {
      const at = { workspace_id: call.workspace_id, id: call.params.deployment_id };
      const { revision_id } = call.params;
      const { force = false } = call.query;
      const shown = await doOnce(context, call, {
        operation: 'redeployRevision',
        about: [at.id, revision_id, ...(force ? ['force'] : [])],
        work: async (tx) => {
          await rollBack(tx, { ...at, revision_id, force, actor: call.principal.actor });
          return showDeployment(context, tx, at);
        },
      });
      context.wake(at.id);
      return respond(shown);
    },
    interruptRevision: interrupt,
    interruptRevisionAlias: interrupt,
  };
}

async function interruptByCall(context: Context, call: RevisionCall): Promise<Revision> {
  const { deployment_id: id, revision_id } = call.params;
  const { workspace_id, principal } = call;
  const { answer, listener_id } = await context.db.transaction(async (tx) => {
    const done = await interruptRevision(tx, { workspace_id, id, revision_id, actor: principal.actor });
    return { answer: await answerOf(tx, done.revision), listener_id: done.listener_id };
  });
  if (listener_id !== undefined) context.notifier.notify(listener_id);
  context.wake(id);
  return answer;
}

async function answerOf(db: Queryable, row: RevisionRow): Promise<Revision> {
  const [answer] = await answersOf(db, [row]);
  return answer as Revision;
}

/** The answers for revisions of one deployment. */
async function answersOf(db: Queryable, rows: readonly RevisionRow[]): Promise<Revision[]> {
  const versions = rows.map(({ environment_version }) => environment_version);
  const names = await readSecretNames(db, { deployment_id: rows[0]?.deployment_id ?? null, versions });
  return rows.map((row) => revisionAnswer(row, names.get(row.environment_version) ?? []));
}
