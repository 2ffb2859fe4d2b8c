export { type Backup, type BackupPlace, listBackups } from './backup-place.ts';
export type { SourceDatabase } from './dump-store.ts';
export { makeBackup } from './make-backup.ts';
export { pruneBackups, type PruneReport } from './prune-backups.ts';
export { readKeys, restoreBackup } from './restore-backup.ts';
