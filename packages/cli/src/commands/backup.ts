import type { Backup } from '@roadstead/backup';
import { Problem } from '@roadstead/kit';
import { answerOptions, type Command, textOf } from '../command-line/command.ts';
import { Interruption, watchInterrupt } from '../terminal/interrupt.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';

export const backup: Command = {
  name: 'backup',
  operands: 'create PLACE | list PLACE | restore PLACE | prune PLACE',
  summary:
    'Copy all databases, blobs and keys of an installation to a folder or a bucket while it runs, and restore them into an empty one.',
  options: {
    at: {
      type: 'string',
      value: 'DIGEST',
      doc: 'restore this backup, by the beginning of its digest (the newest)',
    },
    keep: { type: 'string', value: 'NUMBER', doc: 'how many backups prune leaves (7)' },
    ...answerOptions,
  },
  examples: [
    { call: 'backup create /mnt/backups', does: 'copies what changed since the last one there' },
    {
      call: 'backup create s3://bucket/backups',
      does: 'the same into a bucket, as ROADSTEAD_S3_ENDPOINT and AWS_… say',
    },
    { call: 'backup prune /mnt/backups --keep 30', does: 'removes older ones, and what only they had' },
    {
      call: 'backup restore /mnt/backups',
      does: 'into the data folder or the databases that the environment names, which are empty',
    },
  ],
  run: async ({ operands: [action, place = ''], values, terminal }) => {
    using interrupt = watchInterrupt();
    const tell = (line: string) => terminal.progress(`  ${line}`);
    const { signal } = interrupt;
    const json = values['json'] === true;
    // Only this command loads the schemas of all services.
    const { backupsOf, createBackup, pruneAt, restoreInto } = await import('../backups/run-backup.ts');
    const unlessInterrupted = (error: unknown): never => {
      if (!signal.aborted) throw error;
      throw new Interruption('Nothing is lost: run it again, and what was copied is not copied again.');
    };
    if (action === 'list') {
      const { backups, unreadable } = await backupsOf({ place, tell });
      for (const digest of unreadable)
        terminal.err(`${digest} is damaged, or of a newer version of Roadstead.`);
      if (json) terminal.out(safeJson(backups.map(summaryOf)));
      else for (const line of table(backups.map(rowOf))) terminal.out(line);
    } else if (action === 'prune') {
      const keep = keptOf(textOf(values['keep']));
      const report = await pruneAt({ place, keep, signal, tell }).catch(unlessInterrupted);
      const { removed, kept, files } = report;
      terminal.out(json ? safeJson(report) : `${removed} backups and ${files} files removed, ${kept} kept.`);
    } else if (action === 'create') {
      const made = await createBackup({ place, signal, tell }).catch(unlessInterrupted);
      const { left_out, damaged } = made;
      for (const { deployment_id, because } of left_out)
        terminal.err(`Deployment ${deployment_id} is not in the backup: its database ${because}.`);
      if (made.hasSecretKey)
        terminal.progress('  Its keys are in it: whoever reads the backup reads everything.');
      else
        terminal.err(
          'The secret key is not in the backup: it is in the environment of the services. Keep it, too: without it nothing sealed can be opened.',
        );
      terminal.out(json ? safeJson({ ...summaryOf(made), left_out, damaged }) : sentenceOf(made));
      if (damaged.length > 0)
        throw new Problem(
          'invalid',
          `${damaged.length} blobs are not what their names say, and not in the backup; the first is ${damaged[0]}.`,
          { hint: 'Restore these files from an earlier backup.' },
        );
    } else {
      const at = textOf(values['at']);
      const restored = await restoreInto({ place, digest: at, signal, tell }).catch(unlessInterrupted);
      terminal.out(json ? safeJson(summaryOf(restored)) : `Restored. ${sentenceOf(restored)}`);
    }
    return 0;
  },
};

const summaryOf = ({ digest, manifest: { version, began_at, ended_at, schemas, blobs } }: Backup) => ({
  digest,
  version,
  began_at,
  ended_at,
  databases: new Set(schemas.map(({ database }) => database)).size,
  rows: rowsOf(schemas),
  blobs: Object.fromEntries(Object.entries(blobs).map(([store, { count }]) => [store, count])),
});

const KEPT = 7;

function keptOf(text: string | undefined): number {
  if (text === undefined) return KEPT;
  const keep = Number(text);
  if (!Number.isInteger(keep) || keep < 1) throw new Problem('invalid', '--keep must be a number from 1.');
  return keep;
}

const rowsOf = (schemas: Backup['manifest']['schemas']) =>
  schemas.reduce((sum, { tables }) => tables.reduce((within, { rows }) => within + rows, sum), 0);

const rowOf = (one: Backup) => {
  const { digest, began_at, databases, rows } = summaryOf(one);
  return [digest.slice(0, 19), began_at, `${databases} databases`, `${rows} rows`];
};

function sentenceOf(one: Backup): string {
  const { digest, began_at, databases, rows, blobs } = summaryOf(one);
  const count = Object.values(blobs).reduce((sum, more) => sum + more, 0);
  return `Backup ${digest.slice(0, 19)} of ${began_at}: ${rows} rows of ${databases} databases and ${count} blobs.`;
}
