import type { Migration } from '@roadstead/postgres';

/** How often the server vacuums and analyzes what every run writes. */
export const upkeepMigration: Migration = {
  id: 25,
  name: 'upkeep of what runs write',
  sql: `
    -- A vacuum goes over all indexes of a table: as the table grows it has to come more rarely, or each run costs more.
    alter table threads set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_threshold = 5000);
    alter table runs set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_threshold = 5000);
    alter table tasks set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_threshold = 5000);
    -- Found by key only, whatever they hold.
    alter table queue set (autovacuum_analyze_threshold = 50000);
    alter table contexts set (autovacuum_analyze_threshold = 50000);
    alter table run_events set (autovacuum_analyze_threshold = 50000, autovacuum_vacuum_insert_threshold = 20000);
    alter table checkpoints set (autovacuum_analyze_threshold = 50000, autovacuum_vacuum_insert_threshold = 20000);
    alter table checkpoint_blobs set (autovacuum_analyze_threshold = 50000, autovacuum_vacuum_insert_threshold = 20000);
    alter table checkpoint_writes set (autovacuum_analyze_threshold = 50000, autovacuum_vacuum_insert_threshold = 20000);
    -- How often a document occurs says little of what one holds, and to find out takes longer than everything else of an analyze.
    alter table threads alter interrupts set statistics 0, alter config set statistics 0, alter error set statistics 0,
      alter "values" set statistics 0;
    alter table runs alter input set statistics 0, alter command set statistics 0, alter resume set statistics 0,
      alter kwargs set statistics 0, alter auth_user set statistics 0, alter metadata set statistics 0, alter error set statistics 0;
    alter table tasks alter status set statistics 0, alter history set statistics 0, alter artifacts set statistics 0;
    alter table run_events alter events set statistics 0;
    alter table checkpoints alter checkpoint set statistics 0, alter metadata set statistics 0;
  `,
};

/**
 * The server samples large tables less than half as finely, and those of runs and tasks from a quarter of the rows: an
 * analyze cost more than all other upkeep. Threads keep the full sample, because searches are planned by what is
 * frequent in their metadata.
 */
export const statisticsMigration: Migration = {
  id: 26,
  name: 'statistics of what runs write',
  sql: `
    alter table threads set (autovacuum_analyze_scale_factor = 0.5);
    alter table runs set (autovacuum_analyze_scale_factor = 0.5);
    alter table tasks set (autovacuum_analyze_scale_factor = 0.5);
    do $$
    declare c record;
    begin
      for c in select attrelid::regclass as of, attname from pg_attribute
        where attrelid in ('runs'::regclass, 'tasks'::regclass)
          and attnum > 0 and not attisdropped and coalesce(attstattarget, -1) = -1
      loop
        execute format('alter table %s alter %I set statistics 25', c.of, c.attname);
      end loop;
    end $$;
  `,
};
