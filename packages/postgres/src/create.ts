import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import type { Database, Queryable } from './database.ts';

/**
 * Creates the database where it is missing. Only its owner and the server's administrators may connect to it.
 * @param options.owner a role that exists; given an existing database, it becomes the owner.
 */
export async function ensureDatabase(
  admin: Database,
  { name, owner }: { name: string; owner?: string },
): Promise<void> {
  const database = escapeIdentifier(name);
  if (owner !== undefined) await mayActAs(admin, owner);
  if (!(await databaseExists(admin, name))) {
    await admin.run(`create database ${database}`).catch(async (error: unknown) => {
      // Another process may have created it at the same time.
      if (!(await databaseExists(admin, name))) throw error;
    });
  }
  await admin.run(`revoke connect on database ${database} from public`);
  if (owner !== undefined) await admin.run(`alter database ${database} owner to ${escapeIdentifier(owner)}`);
}

/**
 * Creates the role where it is missing, with the right to log in and no other, and sets its password. The password
 * leaves this process only as a SCRAM verifier, so it is in no log of the server.
 * @param role.password printable ASCII.
 * @throws Error when a role of that name has further rights: it is not one of ours.
 */
export async function ensureRole(
  admin: Database,
  { name, password }: { name: string; password: string },
): Promise<void> {
  const role = escapeIdentifier(name);
  const verifier = escapeLiteral(scramVerifier(password));
  const found = await admin.maybe<{ plain: boolean }>(
    `select not (rolsuper or rolcreatedb or rolcreaterole or rolinherit or rolreplication or rolbypassrls) as plain
     from pg_roles where rolname = $1`,
    [name],
  );
  if (found && !found.plain)
    throw new Error(`The role ${name} has more rights than to log in; Roadstead did not make it.`);
  // Only a superuser may repeat NOSUPERUSER and its like in ALTER, so they are given once.
  const rights = 'login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls';
  await admin.run(
    found
      ? `alter role ${role} login password ${verifier}`
      : `create role ${role} ${rights} password ${verifier}`,
  );
}

/** Limits how many connections a role may have; undefined: as many as the server has. Those that are open stay. */
export async function limitRole(
  admin: Database,
  { name, connections = -1 }: { name: string; connections?: number | undefined },
): Promise<void> {
  const { limit } = await admin.one<{ limit: number }>(
    `select rolconnlimit as limit from pg_roles where rolname = $1`,
    [name],
  );
  if (limit !== connections)
    await admin.run(`alter role ${escapeIdentifier(name)} connection limit ${Math.trunc(connections)}`);
}

/** A line that is kept on the server under a name, as the comment of a role that may do nothing; undefined where there is none. */
export async function findNote(admin: Queryable, name: string): Promise<string | undefined> {
  const found = await admin.maybe<{ note: string | null }>(
    `select shobj_description(oid, 'pg_authid') as note from pg_roles where rolname = $1`,
    [name],
  );
  return found?.note ?? undefined;
}

/** Keeps a line under a name, which `dropRole` removes. */
export async function keepNote(
  admin: Database,
  { name, note }: { name: string; note: string },
): Promise<void> {
  const role = escapeIdentifier(name);
  await admin.transaction(async (tx) => {
    const isThere = (await tx.maybe('select from pg_roles where rolname = $1', [name])) !== undefined;
    if (!isThere) await tx.run(`create role ${role} nologin`);
    await tx.run(`comment on role ${role} is ${escapeLiteral(note)}`);
  });
}

/** Drops the database if it exists, and ends its connections. */
export async function dropDatabase(admin: Database, name: string): Promise<void> {
  await admin.run(`drop database if exists ${escapeIdentifier(name)} with (force)`);
}

/** Drops the role if it exists. Its databases must be gone. */
export async function dropRole(admin: Database, name: string): Promise<void> {
  await admin.run(`drop role if exists ${escapeIdentifier(name)}`);
}

export const databaseExists = async (admin: Queryable, name: string) =>
  (await admin.maybe('select from pg_database where datname = $1', [name])) !== undefined;

/**
 * An administrator who is no superuser (managed servers) may transfer databases to, and clean up for, its members
 * only.
 */
async function mayActAs(admin: Queryable, owner: string): Promise<void> {
  const { member } = await admin.one<{ member: boolean }>(`select pg_has_role($1, 'usage') as member`, [
    owner,
  ]);
  if (!member)
    await admin.run(`grant ${escapeIdentifier(owner)} to current_user with inherit true, set true`);
}

const iterations = 4096;

/** The form in which PostgreSQL stores a password (RFC 5802, RFC 7677). */
function scramVerifier(password: string): string {
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('A database password must be printable ASCII.');
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(hmac('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${hmac('Server Key').toString('base64')}`;
}
