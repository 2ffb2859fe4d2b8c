export { type Backup, type BackupPlace, type BackupSource, listBackups, makeBackup } from './make-backup.ts';
export type { SourceDatabase } from './dump-store.ts';
export { type EmptyInstallation, readKeys, restoreBackup } from './restore-backup.ts';
