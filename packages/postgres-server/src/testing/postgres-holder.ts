// A platform to be killed: starts PostgreSQL on the folder in its first argument, tells its pid, and lives on.
import { startEmbeddedPostgres } from '../embedded-postgres.ts';

const server = await startEmbeddedPostgres({ folder: process.argv[2] ?? '' });
process.stdout.write(`${server.pid}\n`);
