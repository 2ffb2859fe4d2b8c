import type { Backup } from '@roadstead/backup';
import { answerOptions, type Command, textOf } from '../command-line/command.ts';
import { Interruption, watchInterrupt } from '../terminal/interrupt.ts';
import { safeJson } from '../terminal/safe-text.ts';
import { table } from '../terminal/table.ts';

export const backup: Command = {
  name: 'backup',
  operands: 'create PLACE | list PLACE | restore PLACE',
  summary:
    'Copy all databases, blobs and keys of an installation to a folder or a bucket while it runs, and restore them into an empty one.',
  options: {
    at: {
      type: 'string',
      value: 'DIGEST',
      doc: 'restore this backup, by the beginning of its digest (the newest)',
    },
    ...answerOptions,
  },
  examples: [
    { call: 'backup create /mnt/backups', does: 'copies what changed since the last one there' },
    {
      call: 'backup create s3://bucket/backups',
      does: 'the same into a bucket, as ROADSTEAD_S3_ENDPOINT and AWS_… say',
    },
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
    const { backupsOf, createBackup, restoreInto } = await import('../backups/run-backup.ts');
    const unlessInterrupted = (error: unknown): never => {
      if (!signal.aborted) throw error;
      throw new Interruption('Nothing is lost: run it again, and what was copied is not copied again.');
    };
    if (action === 'list') {
      const backups = await backupsOf({ place, tell });
      if (json) terminal.out(safeJson(backups.map(summaryOf)));
      else for (const line of table(backups.map(rowOf))) terminal.out(line);
    } else if (action === 'create') {
      const made = await createBackup({ place, signal, tell }).catch(unlessInterrupted);
      for (const id of made.left_out)
        terminal.err(`The database of deployment ${id} is a server of its own, and not in the backup.`);
      if (made.manifest.keys === null)
        terminal.err(
          'Keys are not in the backup: they are in the environment of the services. Keep them, too.',
        );
      else terminal.progress('  Its keys are in it: whoever reads the backup reads everything.');
      terminal.out(json ? safeJson({ ...summaryOf(made), left_out: made.left_out }) : sentenceOf(made));
    } else {
      const restored = await restoreInto({ place, digest: textOf(values['at']), signal, tell }).catch(
        unlessInterrupted,
      );
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
  blobs,
});

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
